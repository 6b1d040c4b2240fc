import {
  type Filing,
  type FormType,
  formTypes,
  impossibilityOf,
  type ReportingOwner,
  type StatedDate,
  type Trade,
} from '../../../domain/insider/filing.ts';
import { dayOf, parseDay } from '../../../domain/values/date.ts';
import { parseDecimal } from '../../../domain/values/decimal.ts';
import { counted } from '../../../errors/wording.ts';
import type { Fields } from '../../readers/rows.ts';

// Parsers of the SEC's forms of values; each returns undefined for any other text.

/** Parses one of the six ownership forms. */
export function parseForm(text: string): FormType | undefined {
  return formTypes.find((form) => form === text);
}

/** Parses `0000899243-17-024441`, also without its hyphens. */
export function parseAccession(text: string): string | undefined {
  const [, filer, year, count] = /^(\d{10})-?(\d{2})-?(\d{6})$/.exec(text) ?? [];
  return filer === undefined ? undefined : `${filer}-${year}-${count}`;
}

/** Finds the last accession number in a path: `…/000089924317024441/doc4.xml`, `0000899243-17-024441.txt`. */
export function accessionIn(path: string): string | undefined {
  const found = path.match(/(?<!\d)(?:\d{18}|\d{10}-\d{2}-\d{6})(?!\d)/g);
  return parseAccession(found?.at(-1) ?? '');
}

/** Parses a central index key and pads it to ten digits. */
export function parseCik(text: string): string | undefined {
  return /^\d{1,10}$/.test(text) ? text.padStart(10, '0') : undefined;
}

/** Parses `0`, `1`, `true` or `false`; null when blank. */
export function parseFlag(text: string): boolean | null | undefined {
  if (text === '') return null;
  if (text === '1' || text.toLowerCase() === 'true') return true;
  return text === '0' || text.toLowerCase() === 'false' ? false : undefined;
}

function oneOf<T extends string>(...known: readonly T[]): (text: string) => T | undefined {
  return (text) => known.find((candidate) => candidate === text.toUpperCase());
}

/** Parses an `xs:decimal` as exact decimal text: `+.50` is `0.50`. */
export function parseAmount(text: string): string | undefined {
  if (!/^[+-]?(?:\d|\.\d)/.test(text)) return undefined;
  const [, sign = '', whole = '', rest = ''] = /^\+?(-?)(\d*)(.*)$/.exec(text) ?? [];
  return parseDecimal(`${sign}${whole === '' ? '0' : whole}${rest === '.' ? '' : rest}`);
}

/** Parses `2021-09-30`; ignores an offset from UTC after it (`2021-09-30-05:00`). */
export function parseStatedDate(text: string): StatedDate | undefined {
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  return inCalendar(date) ? date : undefined;
}

/** Tells whether a day exists; the calendar repeats every 400 years, so 0022 is like 2022. */
function inCalendar(date: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  const [year, month, day] = date.split('-').map(Number);
  return dayOf(2000 + ((year ?? 0) % 400), month ?? 0, day ?? 0) !== undefined;
}

/** Parses a UTC second, `2025-04-24T22:59:24Z`; drops fractions. */
export function parseInstant(text: string): string | undefined {
  const [, day = '', time] =
    /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  return parseDay(day) === undefined ? undefined : `${day}T${time}Z`;
}

/** How the SEC writes the values of fields, and what they must be. */
export const secForms = {
  accession: [parseAccession, 'an accession number'],
  amount: [parseAmount, 'a number'],
  cik: [parseCik, 'a CIK of up to ten digits'],
  date: [parseStatedDate, 'a date of the form YYYY-MM-DD'],
  flag: [parseFlag, '0, 1, true or false'],
  form: [parseForm, 'one of the forms 3, 4, 5, 3/A, 4/A and 5/A'],
  ownerName: [(text: string) => text.replace(/\s+/g, ' '), 'the name of the owner'],
  acquiredDisposed: [oneOf('A', 'D'), 'A or D'],
  ownership: [oneOf('D', 'I'), 'D or I'],
} as const;

type PlacedTrade = Pick<Trade, 'isDerivative' | 'row' | 'transactionDate'>;

/** The names of the fields of a trade in one kind of record. */
export type TradeNames = Readonly<Record<Exclude<keyof Trade, keyof PlacedTrade>, string>>;

/** Reads the trade in a record, of which the place and the date are known. */
export function readTrade(fields: Fields, names: TradeNames, placed: PlacedTrade): Trade {
  return {
    ...placed,
    securityTitle: fields.text(names.securityTitle),
    transactionCode: fields.text(names.transactionCode),
    acquiredDisposed: fields.maybe(names.acquiredDisposed, secForms.acquiredDisposed),
    shares: fields.maybe(names.shares, secForms.amount),
    pricePerShare: fields.maybe(names.pricePerShare, secForms.amount),
    sharesOwnedAfter: fields.maybe(names.sharesOwnedAfter, secForms.amount),
    ownership: fields.maybe(names.ownership, secForms.ownership),
  };
}

/** Reads a reporting owner from a record with a field for each role. */
export function readOwner(
  fields: Fields,
  names: Readonly<Record<keyof ReportingOwner, string>>,
  name: readonly [(text: string) => string, string] = secForms.ownerName,
): ReportingOwner {
  const is = (name: string) => fields.maybe(name, secForms.flag) ?? false;
  return {
    cik: fields.maybe(names.cik, secForms.cik),
    name: fields.required(names.name, name),
    isDirector: is(names.isDirector),
    isOfficer: is(names.isOfficer),
    isTenPercent: is(names.isTenPercent),
    officerTitle: fields.text(names.officerTitle),
  };
}

const noTicker = /^[^A-Z0-9]*(?:NONE|N\/A|NA|N\.A\.|NOT APPLICABLE)?[^A-Z0-9]*$/;

/** Returns a trading symbol in capitals; null for texts that mean "none". */
export function tickerOf(text: string): string | null {
  const symbol = text.trim().toUpperCase();
  return noTicker.test(symbol) ? null : symbol;
}

/** Makes one note on the trades that cannot have happened as stated, of which it names three. */
export function notesOnImpossible(filings: readonly Filing[]): readonly string[] {
  const trades = filings.flatMap((filing) => {
    const found = impossibilityOf(filing);
    return found === undefined ? [] : [`${filing.filingId} row ${filing.row}, ${found}`];
  });
  if (trades.length === 0) return [];
  const more = trades.length > 3 ? `; and ${trades.length - 3} more` : '';
  const count = counted(trades.length, 'impossible trade');
  return [`${count} kept as stated, counted towards no cluster: ${trades.slice(0, 3).join('; ')}${more}`];
}
