/** The README that ALFRED puts beside a download, in the layout of its archives. */
export function alfredReadmeText(entries: {
  readonly id: string;
  readonly title: readonly string[];
  readonly units: readonly string[];
  readonly frequency: readonly string[];
  readonly adjustment: readonly string[];
}): string {
  const rule = '-------------------------------------------------------------------';
  const lines = (texts: readonly string[]) =>
    texts.map((text, i) => {
      const from = i === 0 ? '1991-12-04' : `20${String(10 + i)}-01-01`;
      const to = i === texts.length - 1 ? 'Current' : `20${String(10 + i)}-12-31`;
      return `${text.padEnd(69)}  ${from}       ${to}`;
    });
  return [
    rule,
    `Series ID: ${entries.id}`,
    'Archival Federal Reserve Economic Data, Federal Reserve Bank of St.',
    'Louis',
    `Link: https://alfred.stlouisfed.org/series?seid=${entries.id}`,
    'Help: https://alfred.stlouisfed.org/help',
    'Output Format: Observations by Real-Time Period',
    'File Created: 2024-12-20 3:28 PM CST',
    rule,
    '',
    `${'-'.repeat(69)}  ---------------  -------------`,
    `${'Title'.padEnd(69)}  Real-Time Start  Real-Time End`,
    ...lines(entries.title),
    'Source',
    ...lines(['U.S. Bureau of Economic Analysis']),
    'Release',
    ...lines(['Gross Domestic Product']),
    'Units',
    ...lines(entries.units),
    'Frequency',
    ...lines(entries.frequency),
    'Seasonal Adjustment',
    ...lines(entries.adjustment),
    'Notes',
    ...lines(['Gross domestic product is the featured measure of U.S. output.']),
    `${'-'.repeat(69)}  ---------------  -------------`,
    '',
    'Vintage Dates Specified:',
    '----------',
    '2015-01-30',
    '----------',
    '',
  ].join('\r\n');
}
