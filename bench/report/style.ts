/** The styles of the report, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --faint: #68707f; --line: #dfe3ea; --paper: #fff; --ours: #eef4ff; --target: #2f6fde; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ef; --faint: #949dad; --line: #333b48; --paper: #14181f; --ours: #1b2a45; --target: #6f9cf0; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: clamp(12px, 3vw, 24px); }
h1 { font-size: 26px; margin: 0; }
h2 { font-size: 20px; margin: 44px 0 12px; border-bottom: 1px solid var(--line); }
h3 { font-size: 16px; margin: 28px 0 6px; }
.note { color: var(--faint); margin: 4px 0 10px; }
.failed { color: #d3382f; font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
a { color: inherit; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, .words th, .words td { text-align: left; }
td.text { white-space: normal; min-width: 70px; }
th small { display: block; font-weight: 400; color: var(--faint); }
tr.ours { background: var(--ours); }
th i, dt i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 8px; }
td.met { color: #1c8a4b; font-weight: 600; }
td.missed { color: #d3382f; font-weight: 600; }
td.not-measured { color: var(--faint); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(420px, 100%), 1fr)); gap: 18px 32px; margin: 14px 0; }
figure { margin: 0; }
figcaption { font-size: 13px; font-weight: 600; margin-bottom: 6px; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
svg text.value { fill: var(--ink); }
svg .grid { stroke: var(--line); }
.legend { margin: 4px 0 0; font-size: 12px; color: var(--faint); display: flex; flex-wrap: wrap; gap: 2px 14px; }
.legend i { display: inline-block; width: 18px; margin-right: 6px; vertical-align: middle; }
td.met, td.missed { white-space: nowrap; }
.overview { margin: 10px 0 20px; }
.overview figcaption { font-size: 16px; }
.overview p { max-width: 78ch; margin: 0 0 8px; }
.overview svg { min-width: 640px; }
.overview text.name { fill: var(--ink); font-size: 13px; }
.overview text.value { font-size: 12px; }
.overview .one { stroke: var(--ink); stroke-width: 1.5; }
.legend i.dot { width: 10px; height: 10px; border-radius: 5px; }
dt { font-weight: 600; margin-top: 10px; }
dd { margin: 0; max-width: 78ch; }
main > p { max-width: 78ch; }
`;
