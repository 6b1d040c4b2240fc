import { Problem } from '../../errors/problem.ts';
import type { Drawing, TextSize } from '../../render/chart/drawing.ts';
import { type Io, variable } from '../terminal/io.ts';
import type { DataFlags, OutputChoice } from './flags.ts';

/** How rows are drawn, and how large where that is in text. */
export type Picture = { readonly drawing: Drawing; readonly size: TextSize };

/** Refuses flags that speak of rows where a chart is asked for. */
export function checkChartFlags(flags: DataFlags, { format }: OutputChoice): void {
  // The extension .txt is a chart in text as well.
  const other = format === 'table' ? flags.format : format;
  if (flags.plot === true && other !== undefined && other !== 'svg')
    throw new Problem('bad-input', `two formats are asked for: --plot and ${other}`, {
      hints: ['-o chart.svg draws into a file'],
    });
  const needless = [
    ...(flags.columns === undefined ? [] : ['--columns']),
    ...(flags.header ? [] : ['--no-header']),
  ];
  if (needless.length > 0)
    throw new Problem('bad-input', `a chart has no columns: leave out ${needless.join(' and ')}`, {
      field: 'columns',
    });
}

/** The width of a chart in text where nothing says it. */
const usualWidth = 80;

/** The size of a chart in text: the terminal's; elsewhere COLUMNS or 80 columns, and any height. */
export function textSize({ onTerminal }: OutputChoice, io: Io): TextSize {
  if (!onTerminal) {
    const columns = variable(io, 'COLUMNS') ?? '';
    return { width: /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : usualWidth, height: undefined };
  }
  const { columns, rows } = io.stdout;
  // What was typed stays in sight, and the next prompt has a line.
  return { width: columns || usualWidth, height: rows ? rows - 2 : undefined };
}
