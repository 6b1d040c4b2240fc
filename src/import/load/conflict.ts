import type { Sighting } from '../../domain/calendar/sighting.ts';
import type { Filing } from '../../domain/insider/filing.ts';
import type { FilingConflict } from '../../domain/insider/merge-filings.ts';
import type { StatementConflict } from '../../domain/series/statements.ts';
import type { PointConflict } from '../../domain/treasury/curve.ts';
import type { Day } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';

/** A contradiction between an import and the store, or within the import. */
export type ImportConflict =
  | ({
      readonly kind: 'value';
      readonly file: string;
      readonly seriesId: string;
      /** True if both values are new: `--replace` then cannot choose. */
      readonly bothNew?: boolean;
    } & StatementConflict)
  | ({ readonly kind: 'period'; readonly seriesId: string } & StatementConflict)
  | ({ readonly kind: 'rate'; readonly file: string } & PointConflict)
  | ({ readonly kind: 'filing'; readonly file: string } & FilingConflict)
  | { readonly kind: 'look'; readonly file: string; readonly held: Sighting; readonly given: Sighting }
  | {
      readonly kind: 'metadata';
      readonly file: string;
      readonly seriesId: string;
      readonly field: string;
      readonly held: string;
      readonly given: string;
      /** True if the figures show one of the frequencies, which `--replace` does not change. */
      readonly shown?: boolean;
    }
  | {
      /** Vintages or dates of a series in a row that the new file no longer has. */
      readonly kind: 'absent';
      readonly file: string;
      readonly seriesId: string;
      readonly what: 'vintage' | 'date';
      readonly from: Day;
      readonly to: Day;
      /** The stored figures that are gone with it. */
      readonly figures: number;
    }
  | {
      readonly kind: 'source';
      readonly seriesId: string;
      readonly held: readonly string[];
      readonly given: readonly string[];
    };

/** The refusal of an import, which lists its conflicts. */
export class ImportRefusal extends Problem {
  readonly conflicts: readonly ImportConflict[];

  /** `otherId` tells the user how to give the series another id, `stored` what is stored all the same. */
  constructor(
    all: readonly ImportConflict[],
    otherId = '--id OLD=NEW imports the series under another id',
    { stored = 'nothing was imported', hints = [] }: { stored?: string; hints?: readonly string[] } = {},
  ) {
    const conflicts = withoutConsequences(all);
    const list = conflicts.map(describe);
    const ways = [...hintsFor(conflicts, otherId), ...hints];
    super('bad-input', `${headlineOf(conflicts)}; ${stored}`, { list, hints: ways });
    this.conflicts = conflicts;
  }

  /** Returns the refusal of one part of an import, of which other parts are stored. */
  inPart(stored: string, hints: readonly string[]): ImportRefusal {
    return new ImportRefusal(this.conflicts, undefined, { stored, hints });
  }

  cutAt(most: number): Problem {
    const left = this.list.length - most;
    if (left <= 0) return this;
    const more = `… and ${left} more; redirect stderr to a file to list all`;
    return this.with({ list: [...this.list.slice(0, most), more] });
  }
}

function headlineOf(conflicts: readonly ImportConflict[]): string {
  const count = counted(conflicts.length, 'conflict');
  const counts = causesOf(conflicts);
  return counts.length > 1 ? `${count}; ${counts.join(', ')}` : count;
}

/**
 * Drops consequences of other conflicts: figures of another frequency also contradict their series, and figures of
 * another source bring its description.
 */
function withoutConsequences(conflicts: readonly ImportConflict[]): readonly ImportConflict[] {
  const refused = new Set(conflicts.filter(isOfFrequency).map(({ seriesId }) => seriesId));
  const foreign = new Set(conflicts.flatMap((one) => (one.kind === 'source' ? [one.seriesId] : [])));
  return conflicts.filter((conflict) => {
    if (conflict.kind === 'value' || conflict.kind === 'period') return !refused.has(conflict.seriesId);
    return !(isOfSource(conflict) && foreign.has(conflict.seriesId));
  });
}

function isOfSource(conflict: ImportConflict): conflict is ImportConflict & { readonly kind: 'metadata' } {
  return conflict.kind === 'metadata' && conflict.field === 'source';
}

function isOfFrequency(conflict: ImportConflict): conflict is ImportConflict & { readonly kind: 'metadata' } {
  return conflict.kind === 'metadata' && conflict.shown === true;
}

/** The subject of a conflict; all have a plural in s. */
const causes = {
  metadata: 'description',
  source: 'source',
  value: 'value',
  period: 'period',
  rate: 'rate',
  filing: 'trade',
  look: 'calendar',
  absent: 'vanished item',
} as const;

function causesOf(conflicts: readonly ImportConflict[]): readonly string[] {
  const groups = [...groupBy(conflicts, ({ kind }) => causes[kind])];
  return groups
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([cause, { length }]) => counted(length, cause));
}

function describe(conflict: ImportConflict): string {
  switch (conflict.kind) {
    case 'value':
      return `${conflict.file}: ${describeValues(conflict)}`;
    case 'period':
      return describeValues(conflict);
    case 'rate': {
      const { held, given } = conflict;
      const point = `${given.curveType} ${given.tradeDate} ${given.maturity}`;
      return `${conflict.file}: ${point}: ${given.rate} (${given.source}), against ${held.rate} (${held.source})`;
    }
    case 'filing': {
      const { held, given, fields } = conflict;
      const differing = fields.map(
        (field) => `${nameOf(field)} ${textOf(given[field])}, against ${textOf(held[field])}`,
      );
      return `${conflict.file}: filing ${given.filingId} row ${given.row}: ${differing.join('; ')}`;
    }
    case 'look': {
      const { file, held, given } = conflict;
      const differences = differencesOf(held, given);
      const shown = [
        ...differences.slice(0, mostDifferences),
        ...moreThan(differences.length, mostDifferences),
      ];
      return `${file}: another calendar of ${given.source} is stored as seen on ${given.seenAt}: ${shown.join('; ')}`;
    }
    case 'metadata': {
      const { seriesId, field, held, given } = conflict;
      const shown = conflict.shown === true ? ', by the figures of the files' : '';
      return `${conflict.file}: ${seriesId} ${field}: ${JSON.stringify(given)}, against ${JSON.stringify(held)}${shown}`;
    }
    case 'absent': {
      const { file, seriesId, what, from, to, figures } = conflict;
      const days = from === to ? `${what} ${from} is` : `${what}s ${from} to ${to} are`;
      return `${file}: ${seriesId}: the ${days} gone, with ${counted(figures, 'stored figure')}`;
    }
    case 'source':
      return conflict.held.length > 0
        ? `${conflict.seriesId} is from ${list(conflict.held)}; this import brings it from ${list(conflict.given)}`
        : `${conflict.seriesId} comes from several sources at once: ${list(conflict.given)}`;
  }
}

function describeValues(conflict: StatementConflict & { readonly seriesId: string }): string {
  const { seriesId, date, asOf, held, given, period } = conflict;
  const values = `as of ${asOf}: ${valueText(given)}, against ${valueText(held)}`;
  if (period === undefined) return `${seriesId} ${date} ${values}`;
  return `${seriesId} ${period.given} ${values} for ${period.held}, in one period of the frequency ${period.frequency}`;
}

const mostDifferences = 4;

function moreThan(count: number, shown: number): readonly string[] {
  return count > shown ? [`… and ${count - shown} more`] : [];
}

/** Lists the entries that only one of two calendars has, by day. */
function differencesOf(held: Sighting, given: Sighting): readonly string[] {
  const textsOf = ({ entries }: Sighting) =>
    new Set(
      entries.map(({ day, time, zone, release, name, period, state }) =>
        [day, time, zone, name ?? release, period, state].filter((part) => part !== undefined).join(' '),
      ),
    );
  const [stored, found] = [textsOf(held), textsOf(given)];
  return [
    ...[...found].filter((text) => !stored.has(text)).map((text) => `${text} is new`),
    ...[...stored].filter((text) => !found.has(text)).map((text) => `${text} is missing`),
  ].sort();
}

function list(sources: readonly string[]): string {
  return sources.map((source) => JSON.stringify(source)).join(' and ');
}

const otherNames: Readonly<Partial<Record<keyof Filing, string>>> = {
  filedOn: 'filing_date',
  originalFiledOn: 'original_filing_date',
  is10b51: 'is_10b5_1',
};

function nameOf(field: keyof Filing): string {
  return otherNames[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueText(value: string | null): string {
  return value ?? 'withdrawn';
}

function hintsFor(conflicts: readonly ImportConflict[], otherId: string): string[] {
  const replaceable = conflicts.some(
    (conflict) =>
      /^(?:value|rate|filing|metadata|look)$/.test(conflict.kind) &&
      !isBothNew(conflict) &&
      !isOfPeriod(conflict) &&
      !isOfFrequency(conflict),
  );
  const kinds = new Set(conflicts.map(({ kind }) => kind));
  const hints: string[] = [];
  if (replaceable) hints.push('--replace accepts the new ones');
  if (conflicts.some(isBothNew))
    hints.push('both values are new: import one file after the other with --replace, or remove one value');
  if (kinds.has('source') || conflicts.some(isOfFrequency)) hints.push(otherId);
  if (kinds.has('source') || conflicts.some(isOfSource))
    hints.push('--merge accepts both sources in one series');
  if (conflicts.some(isOfPeriod))
    hints.push('a period has one value: remove a row, or state another frequency in a metadata file');
  return hints;
}

/** Tells whether a conflict is of two dates: a new value would take away that of a date which it does not state. */
function isOfPeriod(conflict: ImportConflict): boolean {
  return conflict.kind === 'period' || (conflict.kind === 'value' && conflict.period !== undefined);
}

function isBothNew(conflict: ImportConflict): boolean {
  return conflict.kind === 'value' && conflict.bothNew === true;
}
