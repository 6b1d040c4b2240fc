import { cpus, totalmem } from 'node:os';

/**
 * The columns of the report. A line has a name, both sides in words, and a figure; `atMost` or `atLeast` is its
 * target, if it has one.
 */
const columns = ['', 'measured', 'asof', 'against', 'figure', 'target'];
const widths = [1, 62, 16, 34, 12, 12];

/** The ways to write figures as they come: a table, lines of JSON, or Markdown with the machine. */
export const reports = {
  text: {
    begin: (compares) => console.log(aligned([...columns, ...(compares ? ['before', 'now/before'] : [])])),
    line: (line) => console.log(aligned(cells(line))),
  },
  json: {
    begin: () => console.log(JSON.stringify({ machine: machine(), on: today() })),
    line: (line) => console.log(JSON.stringify({ ...line, met: metOf(line) })),
  },
  markdown: {
    begin() {
      console.log(`Measured on ${today()}: ${machine()}.\n`);
      console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`);
    },
    line: (line) => console.log(`| ${cells(line).join(' | ')} |`),
  },
};

function aligned(row) {
  return row
    .map((cell, i) => cell.padEnd(widths[i] ?? 12))
    .join('  ')
    .trimEnd();
}

/** The machine in words, without its name. */
function machine() {
  const [{ model = 'unknown processor' } = {}, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${others.length + 1} cores of ${model.trim()}, ${memory} GB, ${process.platform}, Node ${process.version}`;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

/** Whether a line meets its target; undefined without one. */
function metOf({ figure, atMost, atLeast }) {
  if (atMost === undefined && atLeast === undefined) return undefined;
  return (
    !(figure > (atMost ?? Number.POSITIVE_INFINITY)) && !(figure < (atLeast ?? Number.NEGATIVE_INFINITY))
  );
}

function cells(line) {
  const { name, ours, theirs = '', figure, unit = '×', atMost, atLeast, before } = line;
  const target = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : '';
  const mark = { undefined: ' ', true: '✓', false: '✗' }[metOf(line)];
  const shown = figure === undefined ? '' : `${rounded(figure)} ${unit}`;
  const compared =
    before === undefined || figure === undefined ? [] : [rounded(before), rounded(figure / before)];
  return [mark, name, ours, theirs, shown, target === '' ? '' : `${target} ${unit}`, ...compared];
}

function rounded(figure) {
  return figure >= 1000 ? Math.round(figure).toLocaleString('en-US') : figure.toPrecision(3);
}

/** A duration for readers. */
export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(3)} ms`;
}
