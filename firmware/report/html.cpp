#include "firmware/report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::html {
namespace {

// The style of all pages. Colours have names, so that charts follow the light and dark settings.
// Any two colours have a contrast in lightness of at least 1.35, so that neighbours can be told
// apart without their hue; tests/browser checks this as colour-blind people see them. The text of a
// tile scales with the tile: it has var(--n) characters of 0.64 em each. On narrow screens each row
// of a table or list is a block, whose cells show the titles of their columns. Pages with lists,
// which have many columns, are wider than others.
constexpr std::string_view style = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2430;--soft:#5b6675;
--line:#dde2e8;--c0:#2a9059;--c1:#204c85;--c2:#442174;--c3:#e5aa4a;--c4:#a33e41;--c5:#8d98a5;
--c6:#d0d7de;--link:#2566ad;--hint:#eef1f5}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--text:#e7ebf0;
--soft:#9aa6b5;--line:#303a46;--c0:#7ad9a8;--c1:#307cc6;--c2:#7c45c9;--c3:#f8edc0;--c4:#d67378;
--c5:#a0aaba;--c6:#435161;--link:#6aa9e8;--hint:#232b36}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 20px 48px}
main.lists{max-width:1640px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 10px;overflow-wrap:anywhere}
p{margin:0 0 12px;color:var(--soft);max-width:76ch}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;
padding:18px 20px;margin-top:18px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;
margin-top:18px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 16px;
container-type:inline-size}
.tile b{display:block;font-size:18px;font-size:min(23px,calc(155cqi/var(--n)));line-height:30px;
white-space:nowrap;font-variant-numeric:tabular-nums}
.tile span{display:block;color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.scroll{overflow-x:auto}.scroll+.scroll{margin-top:14px}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600;font-size:13px}
.rows th{white-space:normal;vertical-align:bottom}
th.t,td.t,th:first-child,td:first-child{text-align:left}
td.t,td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:10em}
td:first-child{min-width:13em}
tr:last-child td{border-bottom:0}
td:first-child,th:first-child{padding-left:0}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font:12px system-ui,"DejaVu Sans",sans-serif}
svg.bar{height:16px;min-width:180px;border-radius:3px}
svg.big{height:34px;border-radius:5px}
svg.columns{height:190px}
.borders{fill:none;stroke:var(--soft);stroke-width:1px;opacity:.55;vector-effect:non-scaling-stroke}
.spans{display:flex;font-size:11px;line-height:1.7;color:var(--soft)}
.spans span{flex:none;box-sizing:border-box;overflow:hidden;white-space:nowrap;
text-overflow:ellipsis;border-right:1px solid var(--soft);padding-left:2px}
.upright{display:flex;gap:6px}.upright svg{flex:1;min-width:0}.upright div{display:flex;
flex-direction:column;justify-content:space-between;color:var(--soft);font-size:12px;
line-height:1;text-align:right}.upright+.axis,.upright+.spans,.upright+.spans+.axis{margin-left:40px}
figure svg text{font-size:10px}.narrow{display:none}.wide{max-width:860px}
.parts{display:flex;flex-wrap:wrap;gap:1px 12px;margin-top:4px;font-size:12px;line-height:1.4;
color:var(--soft)}
.parts i{width:8px;height:8px;margin-right:4px}
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:13px}
.key{display:flex;flex-wrap:wrap;gap:4px 18px;margin:10px 0 14px;padding:0;list-style:none;
font-size:13px}
.key i,td i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px}
figure{margin:0}figcaption{font-weight:600;font-size:14px}
.pair{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,430px),1fr));gap:18px}
.list{overflow:auto;max-height:620px;margin-top:10px}
.list th{position:sticky;white-space:normal;vertical-align:bottom;padding:5px 8px;top:0;background:var(--card);box-shadow:0 1px var(--line)}
.list td,.list td:first-child{min-width:0;padding:2px 8px;font-size:13px}
.list td.t{white-space:nowrap}.list td.t:last-child{white-space:normal;min-width:13em}
.list th[tabindex]{cursor:pointer}.list th[tabindex]:hover{color:var(--text)}
.list th[aria-sort=ascending]::after{content:" \2191"}
.list th[aria-sort=descending]::after{content:" \2193"}
.list :target{outline:2px solid var(--c3)}
.list td:first-child,.list th:first-child{position:sticky;left:0;background:var(--card)}
.list th:first-child{z-index:1}
ul.best{margin:0;padding-left:20px}ul.best li{margin:4px 0}a{color:var(--link)}
pre{overflow:auto;max-height:480px;font-size:13px;margin:8px 0 0}
details{margin-top:12px}summary{cursor:pointer;color:var(--soft)}
@media (max-width:1000px){.rows td.t,.rows td:first-child{min-width:7.5em}.rows svg.bar{min-width:110px}
.rows td,.rows th{padding:5px 7px}}
@media (max-width:1300px){.list th,.list td,.list td:first-child{padding:2px 5px;font-size:12px}}
@media (max-width:600px){main{padding:16px 10px 32px}section{padding:14px 12px}h1{font-size:21px}
.tiles{grid-template-columns:1fr 1fr;gap:8px}.tile{padding:9px 11px}
.wide{display:none}.narrow{display:block}figure svg text{font-size:12px}
.rows thead,.list thead{display:none}
.rows tr,.list tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:7px 0;border-bottom:1px solid var(--line)}
.rows tr:last-child,.list tr:last-child{border-bottom:0}
.rows td,.rows td.t,.rows td:first-child,.list td,.list td.t,.list td:first-child,
.list td.t:last-child{border:0;padding:0;min-width:0;text-align:left}
.rows td,.list td,.list td.t{white-space:normal;overflow-wrap:anywhere}
.list td:first-child{position:static}
.rows td:first-child,.list td:first-child{flex:1 0 100%;color:var(--text);font-weight:600}
.rows td.t{flex:1 0 100%}
.rows td:empty,.list td:empty{display:none}
.rows td[data-title]::before,.list td[data-title]::before{content:attr(data-title) " ";color:var(--soft);font-size:13px}}
@media print{.list,pre{max-height:none}.list,.scroll,pre{overflow:visible}pre{white-space:pre-wrap}
th,.list td,.list td.t{white-space:normal;overflow-wrap:anywhere}
.list td,.list th,.list td:first-child{padding:1px 3px;font-size:9px;position:static}
body{background:#fff}.tile{break-inside:avoid}}
)";

// The script that sorts a list when a column's title is clicked. Numeric columns are sorted by
// value; a second click reverses the order. Cells that are empty or not numeric come last.
constexpr std::string_view sorting = R"(
for (const table of document.querySelectorAll('.list table')) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const number = !head.classList.contains('t');
    const sort = () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const keyed = [...body.rows].map((row) => {
        const text = row.cells[column].textContent;
        const value = number ? parseFloat(text.replace(/ /g, '')) : text;
        return [value, row];
      });
      const lost = (value) => value === '' || Number.isNaN(value);
      keyed.sort(([a], [b]) => {
        if (lost(a) || lost(b)) return lost(a) - lost(b);
        return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
      });
      body.append(...keyed.map(([, row]) => row));
    };
    head.tabIndex = 0;
    head.addEventListener('click', sort);
    head.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(); });
  });
}
)";

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text, text.size())) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), "\u202f");
  }
  return digits;
}

std::string breakable(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("+_/."), name.size() - 1) + 1;
    out += escape(name.substr(0, end));
    name.remove_prefix(end);
    if (!name.empty()) out += "<wbr>";
  }
  return out;
}

std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string Table::html() const {
  const bool list = kind_ == Kind::list;
  std::string text =
      fmt::format("<div class=\"{}\"><table><thead><tr>", list ? "list" : "scroll rows");
  for (const Column& column : columns) {
    text +=
        fmt::format("<th{}>{}</th>", column.text ? " class=\"t\"" : "", breakable(column.title));
  }
  text += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    if (row.size() != columns.size()) {
      internal_error("a table of {} columns got a row of {}", columns.size(), row.size());
    }
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      // In a narrow layout a number needs the title of its column; a text of a table is clear
      // without it.
      const bool title = i > 0 && (list || !columns[i].text || columns[i].says_title);
      text += fmt::format("<td{}{}>{}</td>", columns[i].text ? " class=\"t\"" : "",
                          title ? fmt::format(" data-title=\"{}\"", escape(columns[i].title)) : "",
                          row[i]);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string list(const TextTable& table) {
  Table escaped(table.columns, Table::Kind::list);
  for (const std::vector<std::string>& row : table.rows) {
    escaped.begin_row();
    for (const std::string& cell : row) escaped.rows.back().push_back(escape(cell));
  }
  return escaped.html();
}

std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escape(text)); }

std::string details(const std::string& summary, const std::string& html) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, html);
}

void Page::lead(const std::string& html) {
  lead_ += (in_tiles_ ? "</div>\n" : "") + html;
  in_tiles_ = false;
}

void Page::tile(std::string_view label, std::string_view value, std::string_view note) {
  lead_ += fmt::format(
      "{}<div class=\"tile\"><span>{}</span><b style=\"--n:{}\">{}</b><span>{}</span></div>",
      in_tiles_ ? "\n" : "<div class=\"tiles\">", escape(label),
      std::max<std::size_t>(1, length(value)), escape(value), escape(note));
  in_tiles_ = true;
}

void Page::section(const std::string& title, const std::string& html) {
  body_ += fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escape(title), html);
}

std::string Page::html() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body><main{5}>\n<h1>{0}</h1>\n{2}{3}"
      "</main>{4}</body></html>\n",
      escape(title_), style, lead_ + (in_tiles_ ? "</div>\n" : ""), body_,
      sortable_ ? fmt::format("<script>{}</script>\n", sorting) : "",
      sortable_ ? " class=\"lists\"" : "");
}

}  // namespace tactus::html
