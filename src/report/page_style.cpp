#include "report/page_style.h"

namespace tessera {

std::string_view page_style() {
  return R"css(:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #ffffff; --ink: #1c2126; --faint: #5a636d; --rule: #e2e4e6;
  --before: #868e97; --after: #0b7d73; --saved: #0b7d7317; --failed: #b4552d; --link: #0a6a62;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101316; --card: #171b1f; --ink: #e9ebee; --faint: #a3acb6; --rule: #2b3137;
    --before: #747d87; --after: #45c1b1; --saved: #45c1b11c; --failed: #e08a5b; --link: #66d3c5;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 24px; }
header { margin-bottom: 20px; }
h1, h2, p, dl, dd { margin: 0; }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { font-size: 18px; letter-spacing: -0.01em; margin-bottom: 4px; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, "SF Mono", "JetBrains Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: 13px; }
.eyebrow { color: var(--after); font-size: 12px; font-weight: 600; letter-spacing: 0.09em; text-transform: uppercase; margin-bottom: 6px; }
.where, .note, .basis, .legend, .faint { color: var(--faint); }
.where { margin-top: 6px; }
.sep { padding: 0 4px; }
.note { max-width: 76ch; margin-bottom: 14px; font-size: 14px; }
.empty { color: var(--faint); padding: 8px 0; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 22px 26px; margin-bottom: 18px; }
.headline { display: flex; flex-wrap: wrap; align-items: center; gap: 14px 36px; padding: 26px; }
.speedup strong { font-size: 62px; line-height: 1; letter-spacing: -0.035em; color: var(--after); }
.speedup span { font-size: 20px; color: var(--faint); margin-left: 4px; }
.latency p:first-child { font-size: 25px; letter-spacing: -0.01em; line-height: 1.3; }
.latency .was { color: var(--faint); }
.latency .arrow { color: var(--faint); padding: 0 2px; }
.latency .now { font-weight: 650; }
.basis { font-size: 13px; }
.tiles { display: flex; gap: 26px; margin-left: auto; }
.tiles div { display: flex; flex-direction: column; }
.tiles dd { font-size: 20px; font-weight: 600; line-height: 1.3; }
.tiles dt { color: var(--faint); font-size: 13px; }
.verdict { flex-basis: 100%; border-top: 1px solid var(--rule); padding-top: 14px; max-width: none; }
.verdict + .verdict { border: 0; padding: 0; }
.legend { font-size: 13px; margin-bottom: 6px; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 6px 0 12px; vertical-align: -1px; }
.key:first-child { margin-left: 0; }
.key.before { background: var(--before); }
.key.after { background: var(--after); }
.scroll { overflow-x: auto; }
.plot { display: block; width: 100%; min-width: 680px; height: auto; font-size: 13px; }
.plot text { fill: var(--ink); }
.plot .faint { fill: var(--faint); }
.plot .small { font-size: 11px; }
.plot .strong { font-weight: 650; }
.plot .accent { fill: var(--link); font-size: 15px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--before); stroke-width: 1; }
.untuned { stroke: var(--before); stroke-width: 1.5; stroke-dasharray: 6 5; }
.curve { fill: none; stroke: var(--after); stroke-width: 2.2; stroke-linejoin: round; }
.saved { fill: var(--saved); }
.dot { fill: var(--after); stroke: var(--card); stroke-width: 1.5; }
.cross { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 2 3; }
rect.before { fill: var(--before); }
rect.after { fill: var(--after); }
rect.track { fill: var(--rule); }
rect.failed { fill: var(--failed); }
.spark { display: block; width: 98px; height: 22px; }
.spark .curve { stroke-width: 1.5; }
.spark .dot { stroke: none; }
.share { display: block; width: 160px; height: 12px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--faint); font-size: 13px; white-space: nowrap; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: var(--page); }
.number { text-align: right; }
td { unicode-bidi: isolate; }
td.title { overflow-wrap: anywhere; min-width: 130px; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button:hover { color: var(--ink); }
th[aria-sort] button { color: var(--ink); }
th[aria-sort="descending"] button::after { content: " ↓"; }
th[aria-sort="ascending"] button::after { content: " ↑"; }
.winner td { font-weight: 650; }
.badge { background: var(--after); color: var(--card); border-radius: 4px; font-size: 11px; padding: 1px 6px; margin-left: 6px; }
details { border-bottom: 1px solid var(--rule); }
details:last-child { border-bottom: 0; }
summary { cursor: pointer; padding: 7px 0; overflow-wrap: anywhere; }
.ordinal { color: var(--faint); display: inline-block; min-width: 22px; text-align: right; margin-right: 6px; }
.outcome { color: var(--faint); font-size: 13px; margin-left: 8px; }
.choices { padding: 0 0 8px 34px; overflow-wrap: anywhere; }
pre { margin: 0 0 14px 34px; padding: 12px 16px; background: var(--page); border-radius: 6px; overflow-x: auto; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 10px 32px; margin-top: 10px; }
.facts dt { color: var(--faint); font-size: 13px; }
.facts dd { overflow-wrap: anywhere; }
footer { color: var(--faint); font-size: 13px; padding: 4px 26px; }
@media (max-width: 640px) {
  main { padding: 20px 12px; }
  section, .headline { padding: 16px; }
  .tiles { margin-left: 0; flex-wrap: wrap; gap: 8px 24px; }
}
@media print {
  :root {
    --page: #ffffff; --card: #ffffff; --ink: #1c2126; --faint: #5a636d; --rule: #d5d8db;
    --before: #868e97; --after: #0b7d73; --saved: #0b7d7317; --failed: #b4552d; --link: #1c2126;
  }
  body { font-size: 12px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  section, .headline { border: 0; padding: 8px 0; }
  .tiles { margin-left: 0; }
  h2 { break-after: avoid; }
  svg, tr, pre { break-inside: avoid; }
  .scroll { overflow: visible; }
  .plot { min-width: 0; }
  table, th { font-size: 10.5px; }
}
)css";
}

std::string_view page_script() {
  return R"js('use strict';
for (const button of document.querySelectorAll('table.sortable th button')) {
  button.addEventListener('click', () => {
    const head = button.closest('th'), table = button.closest('table');
    const isDown = head.getAttribute('aria-sort') !== 'descending';
    for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    const value = (row) => row.cells[head.cellIndex].dataset.value;
    const isNumber = head.classList.contains('number');
    const compare = (a, b) => isNumber ? value(a) - value(b) : value(a).localeCompare(value(b));
    const rows = [...table.tBodies[0].rows].sort((a, b) => isDown ? compare(b, a) : compare(a, b));
    table.tBodies[0].append(...rows);
  });
}

const plot = document.querySelector('svg[data-time]');
if (plot) {
  const {curve} = JSON.parse(document.getElementById('run').textContent);
  const [seconds, left, right] = plot.dataset.time.split(' ').map(Number);
  const [low, high, bottom, top] = plot.dataset.level.split(' ').map(Number);
  const pointer = plot.querySelector('.pointer');
  const [cross, dot, label] = pointer.children;
  const clock = (s) => Math.floor(s / 60) + ':' + String(Math.floor(s % 60)).padStart(2, '0');
  plot.addEventListener('pointermove', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
    const x = Math.min(Math.max(at.x, left), right);
    const time = (x - left) / (right - left) * seconds;
    const point = curve.findLast((p) => p.elapsed_seconds <= time && p.network_seconds > 0);
    pointer.setAttribute('visibility', point ? 'visible' : 'hidden');
    if (!point) return;
    const ms = point.network_seconds * 1e3;
    for (const end of ['x1', 'x2']) cross.setAttribute(end, x);
    dot.setAttribute('cx', x);
    dot.setAttribute('cy', bottom + (ms - low) / (high - low) * (top - bottom));
    label.setAttribute('x', x < (left + right) / 2 ? x + 6 : x - 6);
    label.setAttribute('text-anchor', x < (left + right) / 2 ? 'start' : 'end');
    label.textContent = `${clock(time)} · ${point.trials} trials · ${ms.toPrecision(4)} ms`;
  });
  plot.addEventListener('pointerleave', () => pointer.setAttribute('visibility', 'hidden'));
}

const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') target.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();
)js";
}

}  // namespace tessera
