/**
 * The text of `tips-csv/treasury_real_yield_all.csv` without its two wrong blocks: the 20-year rates of 2004 and the
 * 30-year rates of 2010, which stand at the wrong days.
 */
export function withoutWrongBlocks(text: string): string {
  return blanked(text, (day, column) => day.startsWith(column === 4 ? '2004' : '2010'));
}

/** That text without the rates from before the day on which the Treasury first published them. */
export function fromFirstDaysOn(text: string): string {
  return blanked(text, (day, column) => day < (column === 4 ? '2004-07-27' : '2010-02-22'));
}

function blanked(text: string, isWrong: (day: string, column: 4 | 5) => boolean): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)(,.*)$/gm, (line, day: string) => {
    const end = line.endsWith('\r') ? '\r' : '';
    const cells = line.trimEnd().split(',');
    for (const column of [4, 5] as const) if (isWrong(day, column)) cells[column] = 'N/A';
    return cells.join(',') + end;
  });
}
