#!/usr/bin/env python3
"""browser_test.py TACTUS REFERENCE: looks at the HTML pages that Tactus writes, in headless Chromium.

The pages are those of a run, of several units, of requests, of a comparison, of products, of a sweep and of codesign,
with names that are long. Each is shown 390 and 1280 px wide, light and dark, and as it is printed on A4; looks.js says
what it looks for. Then the pages are drawn small into one picture, which must be like REFERENCE, a PNG; with
TACTUS_WRITE_SCREENSHOTS=1 the picture is written there instead. Planted faults must be found, or the test fails.
Exit code 0: nothing found; 1: something; 77: there is no Chromium.
"""
import html
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

# Width of a window and theme. A page of A4 has about 718 px between its margins.
VIEWS = [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark"), (718, "print")]
# Pictures show the first pixels of each page, in both widths, an eighth as large.
SCALE, HEIGHT = 8, 1200
PICTURE_WIDTH = 2 * (1280 // SCALE + 390 // SCALE)
FONT = "DejaVu Sans"  # in pictures; Chromium's packages in Debian bring it
FONT_FILE = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
# Colours differ by 0 to 255. Two pictures of the same pages differed by 0.02, pages without charts by 3.0, pages in
# another font by 6.2.
MOST_DIFFERENCE = 1.5

LONG = "block4_conv2_with_a_name_that_is_as_long_as_those_of_exported_networks_are"
TOPOLOGY = f"""Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
stem, 34, 34, 3, 3, 3, 16, 1,
{LONG}_a, 34, 34, 3, 3, 16, 16, 1,
{LONG}_b, 34, 34, 3, 3, 16, 32, 2,
classifier, 1, 1, 1, 1, 32, 10, 1,
"""
PRODUCTS = f"name, M, N, K, count\n{LONG}, 256, 64, 128, 2\nsmall, 16, 16, 16, 1\n"
SWEEP = {"name": "a sweep", "base": {"workload": {"network": "cnn"}, "board": {"name": "zcu104"}},
         "axes": [{"key": "architecture.array_size", "values": [8, 16, 32]},
                  {"key": "board.clock_mhz", "values": [100, 200]}]}


def run(folder, *command):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done


def make_pages(tactus, folder):
    """Writes the pages into the folder and returns their names."""
    configs = pathlib.Path(__file__).resolve().parents[2] / "configs"
    (folder / "net.csv").write_text(TOPOLOGY)
    (folder / "products.csv").write_text(PRODUCTS)
    (folder / "sweep.json").write_text(json.dumps(SWEEP))
    models = []
    for board in ("zcu104", "arty_a7_35"):
        run(folder, tactus, "compile", "net.csv", "--board", board, "-o", board)
        models.append(next((folder / board).glob("*.tmodel")))
    zcu104, arty = models
    run(folder, tactus, "run", zcu104, "--report", "run.html", "--stats", "a.json")
    run(folder, tactus, "run", arty, "--stats", "b.json")
    run(folder, tactus, "compare", "a.json", "b.json", "-o", "compare.html")
    run(folder, tactus, "run", zcu104, "--images", "4", "--tcus", "3", "--report", "units.html")
    run(folder, tactus, "run", f"A={zcu104}", "--arrivals", "A=400/s", "--duration", "20ms",
        "--tcus", "2", "--report", "requests.html")
    run(folder, tactus, "gemm", "--list", "products.csv", "--machine", "pvc", "--machine", "dg2", "--report", "gemm.html")
    for name, command, file in (("sweep", "sweep", "sweep.json"),
                                ("codesign", "codesign", configs / "codesign" / "two_convs.json")):
        run(folder, tactus, command, file, "-o", name)
        run(folder, tactus, "report", name, "-o", f"{name}.html")
    return [f"{name}.html" for name in ("run", "units", "requests", "compare", "gemm", "sweep", "codesign")]


def chromium(folder, *options):
    return run(folder, "timeout", "100", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--enable-logging=stderr", "--virtual-time-budget=20000", "--allow-file-access-from-files",
               f"--user-data-dir={folder}/profile", *options)


def frames(folder, views, height):
    """A page with a frame for each (name, width, theme)."""
    frame = '<iframe style="border:0;display:block" width={} height={} src="{}#{}"></iframe>'
    return "".join(frame.format(width, height, name, theme) for name, width, theme in views)


def insert(page, text):
    place = page.rindex("</body>")
    return page[:place] + text + page[place:]


def look(folder, views):
    """Returns {(name, width, theme): what looks.js finds}."""
    script = "<script>" + (pathlib.Path(__file__).parent / "looks.js").read_text() + "</script>"
    for name in {name for name, _, _ in views}:
        page = (folder / name).read_text()
        if script not in page:
            (folder / name).write_text(insert(page, script))
    (folder / "looks.html").write_text(
        '<!doctype html><meta charset="utf-8"><pre id="found"></pre><script>const found = [];'
        'addEventListener("message", (event) => { found.push(event.data);'
        'document.getElementById("found").textContent = JSON.stringify(found); });</script>' + frames(folder, views, 900))
    shown = chromium(folder, "--dump-dom", folder / "looks.html")
    console = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    text = re.search(r'<pre id="found">(.*?)</pre>', shown.stdout, re.S)
    found = {(name, width, theme): what for name, width, theme, what in json.loads(html.unescape(text[1]) or "[]")}
    if console:
        found["console", 0, ""] = console
    for view in views:
        found.setdefault(view, ["the page does not answer"])
    return found


def pixels(png):
    """Width, height and rows of RGB bytes of a PNG with 8 bits a channel, without interlacing."""
    data, place, packed = png.read_bytes(), 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", data[place + 8:place + 18])
        elif kind == b"IDAT":
            packed += data[place + 8:place + 8 + size]
        place += size + 12
    channels = {2: 3, 6: 4}[colours]
    assert depth == 8
    raw, stride, before, rows = zlib.decompress(packed), width * channels, bytes(width * channels), []
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for x in range(stride):
            left = row[x - channels] if x >= channels else 0
            up, corner = before[x], before[x - channels] if x >= channels else 0
            if kind == 4:
                distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
                guess = (left, up, corner)[distances.index(min(distances))]
            else:
                guess = (0, left, up, (left + up) // 2)[kind]
            row[x] = (row[x] + guess) & 255
        before = row
        rows.append(bytes(row[x] for x in range(stride) if x % channels < 3))
    return width, height, rows


def picture(folder, names, file):
    """Draws the pages beside each other, one a row: 1280 and 390 px wide, light and dark."""
    for name in names:
        page = (folder / name).read_text()
        (folder / f"drawn_{name}").write_text(page.replace("</style>", f"*{{font-family:'{FONT}'!important}}</style>", 1))
    views = [(name, width, theme) for name in names for width in (1280, 390) for theme in ("light", "dark")]
    left, top, text = 0, 0, "<!doctype html><style>body{margin:0}iframe{border:0;position:absolute;" \
        f"transform:scale({1 / SCALE});transform-origin:0 0}}</style>"
    for name, width, theme in views:
        text += f'<iframe style="left:{left}px;top:{top}px" width={width} height={HEIGHT} src="drawn_{name}#{theme}"></iframe>'
        left += width // SCALE
        if left >= PICTURE_WIDTH:
            left, top = 0, top + HEIGHT // SCALE
    (folder / "picture.html").write_text(text)
    chromium(folder, f"--window-size={PICTURE_WIDTH},{top}", f"--screenshot={file}", folder / "picture.html")


def difference(a, b, rows):
    """The largest mean difference of two pictures of so many rows, over the cells of 8 x 8 pixels of each."""
    (width, height, one), (other_width, other_height, other) = a, b
    if (width, height) != (other_width, other_height):
        return 255.0, 0
    cell, worst = 8, (0.0, 0)

    def mean(picture, x, y, channel):
        part = [picture[j][3 * i + channel] for j in range(y, min(height, y + cell)) for i in range(x, min(width, x + cell))]
        return sum(part) / len(part)

    for row in range(rows):
        first, last = row * height // rows, (row + 1) * height // rows
        cells = [abs(mean(one, x, y, c) - mean(other, x, y, c))
                 for y in range(first, last, cell) for x in range(0, width, cell) for c in range(3)]
        worst = max(worst, (sum(cells) / len(cells), row))
    return worst


def compare_pictures(folder, pages, reference):
    """Returns how the pages look other than they did, and whether a page without charts looks as before."""
    picture(folder, pages, folder / "picture.png")
    if os.environ.get("TACTUS_WRITE_SCREENSHOTS"):
        shutil.copy(folder / "picture.png", reference)
        print(f"{reference}: written")
        return []
    wrong, kept = [], pixels(reference)
    most, row = difference(pixels(folder / "picture.png"), kept, len(pages))
    print(f"pictures differ by {most:.2f} at most, {pages[row]}; allowed {MOST_DIFFERENCE}")
    if most > MOST_DIFFERENCE:
        shutil.copy(folder / "picture.png", "browser_test.png")
        wrong.append(f"{pages[row]} looks other than {reference}: {most:.2f}; it is in browser_test.png. If it is right, "
                     "TACTUS_WRITE_SCREENSHOTS=1 writes it there")
    text = (folder / pages[0]).read_text()
    (folder / pages[0]).write_text(text.replace("</style>", "svg{opacity:0}</style>", 1))
    picture(folder, pages, folder / "faded.png")
    most, row = difference(pixels(folder / "faded.png"), kept, len(pages))
    print(f"without charts: {most:.2f}, {pages[row]}")
    if most <= MOST_DIFFERENCE or row != 0:
        wrong.append(f"{pages[0]} without charts looks as before: {most:.2f}")
    return wrong


PLANTED = [
    # a fault, a text of run.html, what takes its place, what has to be found
    ("a wide word", "<section>", "<section><p style='white-space:nowrap'>" + "wide " * 300 + "</p>", "cut: "),
    ("two labels in one place", "</svg>", "<text x='99' y='50'>one label</text><text x='105' y='51'>other</text></svg>",
     "overlap: one label | other"),
    ("pale text", "<section>", "<section><p style='color:#ddd;background:#fff'>pale</p>", "contrast: "),
    ("a colour that no legend has", "</ul>", "</ul><svg class='bar'><rect width='9' height='9' fill='var(--c7)'/></svg>",
     "legend: c7"),
    ("green and red of one lightness", "</style>", ":root{--c0:#3f9a3f!important;--c4:#b5832f!important}</style>",
     "without green"),
]


def planted(folder):
    """Returns the planted faults that are not found."""
    page, views = (folder / "run.html").read_text(), []
    for i, (fault, before, after, _) in enumerate(PLANTED):
        (folder / f"fault{i}.html").write_text(page.replace(before, after, 1))
        if before not in page:
            return [f"{fault}: the page has no {before}"]
        views.append((f"fault{i}.html", 1280, "light"))
    found = look(folder, views)
    return [f"{fault}: not found" for i, (fault, _, _, expected) in enumerate(PLANTED)
            if not any(text.startswith(expected) or expected in text for text in found[views[i]])]


def main():
    tactus, reference = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("chromium"):
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["HOME"] = name
        pages = make_pages(tactus, folder)
        wrong = planted(folder)
        for view, found in look(folder, [(page, *view) for page in pages for view in VIEWS]).items():
            wrong += [f"{view}: {text}" for text in found[:6]]
        if FONT_FILE.exists():
            wrong += compare_pictures(folder, pages, reference)
        else:
            print(f"pictures are not compared: {FONT_FILE} is missing (Debian: apt-get install fonts-dejavu-core)")
        print("".join(text + "\n" for text in wrong), end="")
        print(f"{len(pages)} pages, {len(pages) * len(VIEWS)} views, {len(PLANTED)} planted faults: "
              f"{len(wrong)} findings")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
