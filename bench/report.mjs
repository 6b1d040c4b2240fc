/**
 * The columns of the report. A line has a name, both sides in words, and a figure; `atMost` or `atLeast` is its
 * target, if it has one.
 */
const columns = ['', 'measured', 'asof', 'against', 'figure', 'target'];

/** Prints the lines as a table, with a mark on each line with a target. */
export function printReport(lines) {
  const rows = [columns, ...lines.map(cells)];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    );
}

function cells({ name, ours, theirs = '', figure, unit = '×', atMost, atLeast }) {
  const target = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : '';
  const met =
    !(figure > (atMost ?? Number.POSITIVE_INFINITY)) && !(figure < (atLeast ?? Number.NEGATIVE_INFINITY));
  const mark = target === '' ? ' ' : met ? '✓' : '✗';
  const shown = figure === undefined ? '' : `${rounded(figure)} ${unit}`;
  return [mark, name, ours, theirs, shown, target === '' ? '' : `${target} ${unit}`];
}

function rounded(figure) {
  return figure >= 1000 ? Math.round(figure).toLocaleString('en-US') : figure.toPrecision(3);
}

/** A duration for readers. */
export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(3)} ms`;
}
