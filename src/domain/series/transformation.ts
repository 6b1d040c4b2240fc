import { contradiction, type Voice } from '../../errors/problem.ts';

/** What a transformation may ask for, by FRED's names, in the order in which help lists them. */
export const transformationChoices = {
  /** The first leaves values as they are. */
  units: ['lin', 'chg', 'ch1', 'pch', 'pc1', 'pca', 'cch', 'cca', 'log'],
  /** The frequencies that values can be aggregated to. */
  frequencies: ['w', 'm', 'q', 'sa', 'a'],
  /** How the values of a period become one: their average, their sum, the last of them. */
  aggregates: ['avg', 'sum', 'eop'],
} as const;

/** What is made of the values of a series, by FRED's names. */
export type Units = (typeof transformationChoices.units)[number];

/** One value for each period of a frequency, out of the values of a finer one. */
export type Aggregation = {
  readonly frequency: (typeof transformationChoices.frequencies)[number];
  /** An average unless given. */
  readonly aggregate?: (typeof transformationChoices.aggregates)[number];
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
