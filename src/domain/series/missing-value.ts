/**
 * How publishers and programs write that a value is missing, besides an empty cell. The sets differ on purpose: in files
 * of vintages such a text withdraws a value, which a blank cell does not always do.
 */
export const missingTexts = {
  /** FRED and ALFRED, and tables like theirs. */
  fred: ['.', '#N/A', 'NA'],
  /** An observation in an answer of the FRED API, and a rate of the H.15 release. */
  fredPoint: '.',
  /** The Real-Time Data Set of the Philadelphia Fed. */
  realTimeDataSet: ['#N/A'],
  /** A rate in a table of the U.S. Treasury. */
  treasury: 'N/A',
  /** A missing number that a data frame wrote, which a reader takes for an empty cell. */
  dataFrame: ['NaN', 'nan'],
  /** A cell of anyone's table: what pandas reads as missing, and the point of FRED. */
  anyTable: [
    '',
    ...'#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,.,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL'.split(','),
    ...'NaN,None,n/a,nan,null'.split(','),
  ],
} as const;
