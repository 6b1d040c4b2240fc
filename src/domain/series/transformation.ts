import { contradiction, type Voice } from '../../errors/problem.ts';
import type { KnownFrequency } from '../values/date.ts';

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

type Formula = {
  readonly about: string;
  /** The formula, with b for the value of the period before and y for that of a year before. */
  readonly text: string;
  readonly from?: 'period ago' | 'year ago';
  /** The only frequency whose periods it compares. Default: any. */
  readonly of?: KnownFrequency;
  /** FRED's name of the result; `{}` is the unit of the series. */
  readonly unit: string;
};

const yearly: Formula = {
  about: 'percent growth from a year ago',
  text: '(x / y - 1) × 100',
  from: 'year ago',
  unit: 'Percent Change from Year Ago',
};
const periodic: Formula = {
  about: 'percent growth from the period before',
  text: '(x / b - 1) × 100',
  from: 'period ago',
  unit: 'Percent Change',
};
const annualised: Formula = {
  about: 'percent growth at an annual rate',
  text: '((x / b)^n - 1) × 100',
  from: 'period ago',
  unit: 'Compounded Annual Rate of Change',
};

/** FRED's formulas, each on two dates of one vintage; `log` and `lin` on one. */
export const formulas: Readonly<Record<Units, Formula>> = {
  yoy: yearly,
  mom: { ...periodic, about: 'percent growth from the month before', of: 'M' },
  qoq: { ...periodic, about: 'percent growth from the quarter before', of: 'Q' },
  saar: annualised,
  lin: {
    about: 'levels: the values themselves',
    text: 'x',
    unit: '{}',
  },
  chg: {
    about: 'change from the period before',
    text: 'x - b',
    from: 'period ago',
    unit: 'Change, {}',
  },
  ch1: {
    about: 'change from a year ago',
    text: 'x - y',
    from: 'year ago',
    unit: 'Change from Year Ago, {}',
  },
  pch: periodic,
  pc1: yearly,
  pca: annualised,
  cch: {
    about: 'logarithmic growth from the period before',
    text: '(ln x - ln b) × 100',
    from: 'period ago',
    unit: 'Continuously Compounded Rate of Change',
  },
  cca: {
    about: 'logarithmic growth at an annual rate',
    text: '(ln x - ln b) × 100 × n',
    from: 'period ago',
    unit: 'Continuously Compounded Annual Rate of Change',
  },
  log: {
    about: 'natural logarithm, ln',
    text: 'ln x',
    unit: 'Natural Log of {}',
  },
};

/** Returns the unit of transformed values, as FRED names it, such as `Change, Billions of Dollars`. */
export function unitText(units: Units, unit: string): string {
  const text = formulas[units].unit.replace('{}', unit);
  return unit === '' ? text.replace(/(?:, | of )$/, '') : text;
}

/** Tells whether units compare a date with an earlier one. */
export function isComparison(units: Units): boolean {
  return formulas[units].from !== undefined;
}
