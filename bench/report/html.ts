/** The report: one page that needs no network, with every figure of the run. */
import { showRatio } from '../evaluate.js';
import type { BenchResults, GoalResult } from '../results.js';
import { CONTESTANT_NOTES, LEFT_OUT, METHOD } from './about.js';
import { escapeHtml } from './charts.js';
import { lossesOf } from './losses.js';
import { overview } from './overview.js';
import { COLORS, scenarioSection } from './scenarioSection.js';
import { STYLE } from './style.js';
import { machineLines } from './terminal.js';

export function htmlReport(results: BenchResults): string {
  const { startedAt, scenarios } = results;
  const groups = [...new Set(scenarios.map(({ id }) => groupOf(id)))];
  const sections = groups.map((group) => {
    const own = scenarios.filter(({ id }) => groupOf(id) === group);
    return `<h2 id="${group}">${group}</h2>\n${own.map(scenarioSection).join('\n')}`;
  });
  // A service that was running already is measured alone.
  const hasRivals = results.goals.length > 0;
  const links = groups.map((group) => `<a href="#${group}">${group}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard benchmark, ${startedAt.slice(0, 16)}</title><style>${STYLE}</style></head>
<body><main>
<h1>Switchboard benchmark</h1>
${overview(results)}
<p class="note">${startedAt.slice(0, 16).replace('T', ' ')} UTC<br>
${escapeHtml(machineLines(results)).replaceAll('\n', '<br>')}</p>
<nav>${hasRivals ? '<a href="#goals">goals</a><a href="#losses">what we lose</a>' : ''}${links.join('')}<a href="#method">method</a></nav>
${hasRivals ? judged(results) : ''}
${sections.join('\n')}
<h2 id="method">Contestants and method</h2>
<dl>${CONTESTANT_NOTES.map(contestantNote).join('')}</dl>
<h3>Left out, and why</h3>
<dl>${LEFT_OUT.map(([name, reason]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(reason)}</dd>`).join('')}</dl>
<h3>How it was measured</h3>
${METHOD.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
</main></body></html>
`;
}

function judged(results: BenchResults): string {
  return `<h2 id="goals">Goals</h2>
<div class="wide"><table class="words"><tr><th></th><th>scenario</th><th>goal</th><th>measured</th><th></th></tr>
${results.goals.map(goalRow).join('\n')}</table></div>
<h2 id="losses">What we lose</h2>
${lossTables(results)}`;
}

function goalRow({ scenario, goal, state, measured, remark }: GoalResult): string {
  const cells = textCells([scenario, goal, measured, remark]);
  return `<tr><td class="${state.replace(' ', '-')}">${state}</td>${cells}</tr>`;
}

function textCells(texts: readonly string[]): string {
  return texts.map((text) => `<td class="text">${escapeHtml(text)}</td>`).join('');
}

/** Rivals first: every server is slower than the limit. */
function lossTables(results: BenchResults): string {
  const losses = lossesOf(results);
  const tableOf = (isMeant: (rival: string) => boolean): string => {
    const own = losses.filter(({ rival }) => isMeant(rival));
    if (own.length === 0) return '<p>Nothing in this run.</p>';
    const rows = own.map(({ scenario, metric, ours, theirs, rival, factor }) => {
      const cells = textCells([scenario, metric, ours, `${theirs} (${rival})`]);
      return `<tr>${cells}<td>${showRatio(factor)}</td></tr>`;
    });
    const head = '<tr><th>scenario</th><th></th><th>ours</th><th>theirs</th><th>worse by</th></tr>';
    return `<div class="wide"><table class="words">${head}${rows.join('')}</table></div>`;
  };
  return `<p>Every figure in which a rival was better by more than a tenth.</p>
${tableOf((rival) => !rival.startsWith('limit'))}
<details><summary>And against the limit</summary>${tableOf((rival) => rival.startsWith('limit'))}</details>`;
}

function contestantNote([name, note]: readonly [string, string]): string {
  const color = COLORS[name] ?? 'gray';
  return `<dt><i style="background: ${color}"></i>${escapeHtml(name)}</dt><dd>${escapeHtml(note)}</dd>`;
}

function groupOf(id: string): string {
  return id.split('/')[0] ?? id;
}
