import { contradiction, type Voice } from '../../errors/problem.ts';

/** The choices of a transformation, in the order of the help: units by the words of people, then by FRED's names. */
export const transformationChoices = {
  units: ['yoy', 'mom', 'qoq', 'saar', 'lin', 'chg', 'ch1', 'pch', 'pc1', 'pca', 'cch', 'cca', 'log'],
  frequencies: ['w', 'm', 'q', 'sa', 'a'],
  aggregates: ['avg', 'sum', 'eop'],
} as const;

/** A computation on the values of a series; `lin` leaves them unchanged. */
export type Units = (typeof transformationChoices.units)[number];

/** A series by its id, with the units of its values if they are its own. */
export type NamedSeries = { readonly id: string; readonly units?: Units | undefined };

/** Reads `CPIAUCSL:yoy`; a last part that names no units belongs to the id, as in `ECB:X`. */
export function namedSeries(text: string): NamedSeries {
  const at = text.lastIndexOf(':');
  const units = transformationChoices.units.find((one) => one === text.slice(at + 1).toLowerCase());
  return at < 1 || units === undefined ? { id: text } : { id: text.slice(0, at), units };
}

/** Returns the id of a series, with its own units after a colon. */
export function nameOfSeries({ id, units }: NamedSeries): string {
  return units === undefined ? id : `${id}:${units}`;
}

/** One value for each period of a coarser frequency. */
export type Aggregation = {
  readonly frequency: (typeof transformationChoices.frequencies)[number];
  /** Default: an average. */
  readonly aggregate?: (typeof transformationChoices.aggregates)[number];
  /** True to include incomplete periods. */
  readonly partial?: boolean;
};

/** An aggregation, if any, and then a change of units. */
export type Transformation = {
  readonly units: Units;
  /** The decimals of each result. Default: as FRED rounds. */
  readonly digits?: number;
  readonly aggregation?: Aggregation;
};

/** Makes a transformation of parameters, undefined for lin; throws a Problem if one needs another. */
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
