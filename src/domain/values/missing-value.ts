/**
 * Texts for a missing value, besides an empty cell.
 * The sets differ: in files of vintages such a text withdraws a value, which a blank cell may not do.
 */
export const missingTexts = {
  fred: ['.', '#N/A', 'NA'],
  /** An observation of the FRED API, and a rate of the H.15 release. */
  fredPoint: '.',
  /** The Real-Time Data Set of the Philadelphia Fed. */
  realTimeDataSet: ['#N/A'],
  /** A rate in a table of the U.S. Treasury. */
  treasury: 'N/A',
  /** A missing number from a data frame; readers treat it as an empty cell. */
  dataFrame: ['NaN', 'nan'],
  /** A cell of any table: what pandas reads as missing, and FRED's point. */
  anyTable: [
    '',
    ...'#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,.,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL'.split(','),
    ...'NaN,None,n/a,nan,null'.split(','),
  ],
} as const;
