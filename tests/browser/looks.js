// Looks at the page that it is part of, and tells the page that shows this one what it finds:
//   cut        text or a table that is wider than its place, or beyond the window
//   overlap    two labels of a drawing that cover each other
//   contrast   text with a contrast to its background of less than 4.5
//   legend     a colour of a section's drawings that no legend, label or tooltip of the section explains
//   alike      two colours of one legend that cannot be told apart, by a lightness contrast under 1.3 and
//              by hue for somebody who is blind to red, green or blue
// The address has the theme after '#': light, dark, or print (light, with the rules of printing).

const theme = location.hash.slice(1) || 'light';
for (const sheet of document.styleSheets) {
  for (const rule of sheet.cssRules) {
    if (!(rule instanceof CSSMediaRule)) continue;
    if (rule.media.mediaText.includes('prefers-color-scheme')) {
      rule.media.mediaText = theme === 'dark' ? 'all' : 'not all';
    } else if (rule.media.mediaText === 'print' && theme === 'print') {
      rule.media.mediaText = 'all';
    }
  }
}

const found = [];
const say = (kind, text) => found.push(kind + ': ' + text.replace(/\s+/g, ' ').trim().slice(0, 90));
const shown = (box) => box.width > 0 && box.height > 0;

// 0..1 for each of red, green and blue, and the part of the background that the colour covers.
const parse = (text) => {
  const numbers = (text.match(/[\d.]+/g) || []).map(Number);
  return { rgb: numbers.slice(0, 3).map((v) => v / 255), cover: numbers.length > 3 ? numbers[3] : 1 };
};
const linear = (rgb) => rgb.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
const luminance = (rgb) => {
  const [r, g, b] = linear(rgb);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};
const background = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.rgb.length === 3 && colour.cover > 0) return colour.rgb;
  }
  return [1, 1, 1];
};

for (const e of document.querySelectorAll('body *')) {
  const place = e.closest('svg');
  if (place && e !== place) {
    const [inner, outer] = [e.getBoundingClientRect(), place.getBoundingClientRect()];
    if (e.tagName === 'text' && shown(inner) && (inner.left < outer.left - 1 || inner.right > outer.right + 1 ||
        inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1)) say('cut', 'label ' + e.textContent);
    continue;
  }
  const scrolls = ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
  if (e.clientWidth > 0 && !e.closest('.spans') &&
      (e.scrollWidth > e.clientWidth + 1 && !(scrolls && theme !== 'print' && e.tagName === 'PRE') ||
       e.getBoundingClientRect().right > innerWidth + 1)) say('cut', e.tagName + ' ' + e.textContent);
  const style = getComputedStyle(e);
  const words = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (words && shown(e.getBoundingClientRect()) && !['SCRIPT', 'STYLE'].includes(e.tagName)) {
    const ratio = contrast(parse(style.color).rgb, background(e));
    if (ratio < 4.5) say('contrast', ratio.toFixed(2) + ' ' + e.textContent);
  }
}

for (const drawing of document.querySelectorAll('svg')) {
  const labels = [...drawing.querySelectorAll('text')].map((e) => [e, e.getBoundingClientRect()])
      .filter(([, box]) => shown(box));
  labels.forEach(([a, one], i) => labels.slice(i + 1).forEach(([b, other]) => {
    const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    // Boxes of text have room above and below the letters.
    if (wide > 1 && high > 4) say('overlap', a.textContent + ' | ' + b.textContent);
  }));
}

const colour_of = (text) => (text.match(/var\(--(c\d)\)/) || [])[1];
for (const section of document.querySelectorAll('section, main')) {
  const own = (e) => e.closest('section, main') === section;
  const named = new Set([...section.querySelectorAll('.key i, .parts i, td i')].filter(own)
      .map((e) => colour_of(e.getAttribute('style'))));
  for (const drawing of [...section.querySelectorAll('svg')].filter(own)) {
    const used = new Set();
    for (const e of drawing.querySelectorAll('[fill^="var(--c"], [stroke^="var(--c"]')) {
      if (!e.querySelector('title') && !e.closest('a')) {
        used.add(colour_of(e.getAttribute('fill') || '') || colour_of(e.getAttribute('stroke') || ''));
      } else if (drawing.classList.contains('bar')) {
        used.add(colour_of(e.getAttribute('fill') || ''));
      }
    }
    for (const colour of used) if (colour && !named.has(colour)) {
      say('legend', colour + ' in ' + (section.querySelector('h2') || section).textContent.slice(0, 50));
    }
  }
}

// Machado, Oliveira, Fernandes (2009), severity 1, on linear values.
const blind = {
  red: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  green: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  blue: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const seen_by = (rgb, matrix) => {
  const values = linear(rgb);
  return matrix.map((row) => Math.min(1, Math.max(0, row.reduce((sum, m, i) => sum + m * values[i], 0))))
      .map((v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
};
for (const key of document.querySelectorAll('.key')) {
  const entries = [...key.querySelectorAll('i')].map((e) => [e.parentElement.textContent,
      parse(getComputedStyle(e).backgroundColor).rgb]);
  entries.forEach(([a, one], i) => entries.slice(i + 1).forEach(([b, other]) => {
    for (const [which, matrix] of Object.entries(blind)) {
      const [x, y] = [seen_by(one, matrix), seen_by(other, matrix)];
      const distance = Math.hypot(...x.map((v, k) => v - y[k]));
      if (contrast(x, y) < 1.3 && distance < 0.25) say('alike', a + ' | ' + b + ' without ' + which);
    }
  }));
}

parent.postMessage([location.pathname.split('/').pop(), innerWidth, theme, found], '*');
