import { contradiction, type Voice } from '../../errors/problem.ts';

/** What is made of the values of a series, by FRED's names. */
export type Units = (typeof unitsChoices)[number];

/** FRED's names of units, in the order in which FRED lists them; the first leaves values as they are. */
export const unitsChoices = ['lin', 'chg', 'ch1', 'pch', 'pc1', 'pca', 'cch', 'cca', 'log'] as const;

/** The frequencies that values can be aggregated to, in the order in which help lists them. */
export const coarserFrequencies = ['w', 'm', 'q', 'sa', 'a'] as const;

/** How the values of a period become one, as FRED names it: their average, their sum, the last of them. */
export const aggregations = ['avg', 'sum', 'eop'] as const;

/** One value for each period of a frequency, out of the values of a finer one. */
export type Aggregation = {
  readonly frequency: (typeof coarserFrequencies)[number];
  /** An average unless given. */
  readonly aggregate?: (typeof aggregations)[number];
  /** Gives periods that are not complete too. */
  readonly partial?: boolean;
};

/** What is made of the values of a series: first one value for each period of a coarser frequency, then other units. */
export type Transformation = {
  readonly units: Units;
  /** The decimals of each result; as FRED rounds them unless given. */
  readonly digits?: number;
  readonly aggregation?: Aggregation;
};

/** The transformation of these parameters; undefined for lin. A Problem where one parameter needs another. */
export function transformationOf({
  units = 'lin',
  digits,
  frequency,
  aggregate,
  partial,
}: Partial<Omit<Transformation, 'aggregation'> & Aggregation>): Transformation | undefined {
  const needs = (name: string, others: (param: Voice['param']) => string) =>
    contradiction(name, ({ param }) => `${param(name)} needs ${others(param)}`);
  if (frequency === undefined) {
    if (aggregate !== undefined) throw needs('aggregate', (param) => param('frequency'));
    if (partial === true) throw needs('partial', (param) => param('frequency'));
    if (units === 'lin' && digits !== undefined)
      throw needs(
        'digits',
        (param) => `${param('units')} or ${param('frequency')}: published values keep their digits`,
      );
    if (units === 'lin') return undefined;
  }
  return {
    units,
    ...(digits !== undefined && { digits }),
    ...(frequency !== undefined && {
      aggregation: {
        frequency,
        ...(aggregate !== undefined && { aggregate }),
        ...(partial !== undefined && { partial }),
      },
    }),
  };
}
