import type { Filing, ReportingOwner } from '../../domain/insider/filing.ts';
import type { FilingConflict } from '../../domain/insider/merge-filings.ts';
import type { Day } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { Statement, StatementConflict } from '../../domain/series/revision-history.ts';
import type { PointConflict } from '../../domain/treasury/merge-points.ts';
import { Problem } from '../../errors/problem.ts';

/** A field of metadata that differs from the one held. */
export type MetadataConflict = {
  readonly seriesId: string;
  readonly field: string;
  readonly held: string;
  readonly given: string;
};

/** One contradiction between an import and the store, or within the import. */
export type ImportConflict =
  | ({ readonly kind: 'value'; readonly file: string; readonly seriesId: string } & StatementConflict)
  | ({ readonly kind: 'period'; readonly seriesId: string } & StatementConflict)
  | ({ readonly kind: 'rate'; readonly file: string } & PointConflict)
  | ({ readonly kind: 'filing'; readonly file: string } & FilingConflict)
  | ({ readonly kind: 'metadata'; readonly file: string } & MetadataConflict)
  | {
      readonly kind: 'source';
      readonly seriesId: string;
      readonly held: readonly string[];
      readonly given: readonly string[];
    };

/** The refusal of an import: its message lists every conflict, one per line, and its hints say what the user can do. */
export class ImportRefusal extends Problem {
  readonly conflicts: readonly ImportConflict[];

  constructor(conflicts: readonly ImportConflict[]) {
    const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
    const lines = conflicts.map((conflict) => `  ${describe(conflict)}`);
    super('bad-input', [`${count}; nothing was imported:`, ...lines].join('\n'), {
      hints: hintsFor(conflicts),
    });
    this.conflicts = conflicts;
  }
}

function describe(conflict: ImportConflict): string {
  switch (conflict.kind) {
    case 'value': {
      const { file, seriesId, date, asOf, held, given } = conflict;
      return `${file}: ${seriesId} ${date} as of ${asOf}: ${valueText(given)}, against ${valueText(held)}`;
    }
    case 'period': {
      const { seriesId, date, asOf, held, given } = conflict;
      return `${seriesId} ${date} as of ${asOf}: two dates of one period: ${valueText(given)}, against ${valueText(held)}`;
    }
    case 'rate': {
      const { held, given } = conflict;
      const point = `${given.curveType} ${given.tradeDate} ${given.maturity}`;
      return `${conflict.file}: ${point}: ${given.rate} (${given.source}), against ${held.rate} (${held.source})`;
    }
    case 'filing': {
      const { held, given, fields } = conflict;
      const differing = fields.map(
        (field) => `${nameOf(field)} ${shown(given, field)}, against ${shown(held, field)}`,
      );
      return `${conflict.file}: filing ${given.filingId} row ${given.row}: ${differing.join('; ')}`;
    }
    case 'metadata': {
      const { seriesId, field, held, given } = conflict;
      return `${conflict.file}: ${seriesId} ${field}: ${JSON.stringify(given)}, against ${JSON.stringify(held)}`;
    }
    case 'source':
      return conflict.held.length > 0
        ? `${conflict.seriesId} is from ${list(conflict.held)}; this import brings it from ${list(conflict.given)}`
        : `${conflict.seriesId} comes from several sources at once: ${list(conflict.given)}`;
  }
}

function list(sources: readonly string[]): string {
  return sources.map((source) => JSON.stringify(source)).join(' and ');
}

const otherNames: Readonly<Partial<Record<keyof Filing, string>>> = {
  filedOn: 'filing_date',
  originalFiledOn: 'original_filing_date',
  is10b51: 'is_10b5_1',
};

/** The name of a field in the rows of filings. */
function nameOf(field: keyof Filing): string {
  return otherNames[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A date, number or code as it is; owners by name, CIK and roles. */
function shown(filing: Filing, field: keyof Filing): string {
  if (field === 'owners') return filing.owners.map(ownerText).join(' and ');
  const value = filing[field];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function ownerText({ cik, name, isDirector, isOfficer, isTenPercent }: ReportingOwner): string {
  const roles = [
    ...(isDirector ? ['director'] : []),
    ...(isOfficer ? ['officer'] : []),
    ...(isTenPercent ? ['ten-percent owner'] : []),
  ];
  return `${name} (${[cik ?? 'no CIK', ...roles].join(', ')})`;
}

function valueText(value: string | null): string {
  return value ?? 'withdrawn';
}

function hintsFor(conflicts: readonly ImportConflict[]): string[] {
  const kinds = new Set(conflicts.map(({ kind }) => kind));
  const hints: string[] = [];
  if (['value', 'rate', 'filing', 'metadata'].some((kind) => kinds.has(kind as ImportConflict['kind'])))
    hints.push('--replace accepts the new ones');
  if (kinds.has('source')) {
    hints.push('--id OLD=NEW imports the series under another id');
    hints.push('--merge accepts both sources in one series');
  }
  if (kinds.has('period')) hints.push('a metadata file can state the frequency');
  return hints;
}

/**
 * Remembers the statements of one import. With `--replace`, the store would keep the last of two new statements that
 * differ; this log finds such conflicts.
 */
export class StatementLog {
  readonly #series = new Map<string, Map<Day, Map<Day, string | null>>>();

  /** Adds statements of one series; gives their conflicts with each other and with those added before. */
  add(seriesId: string, statements: readonly Statement[]): readonly StatementConflict[] {
    const vintages = entryOf(this.#series, seriesId);
    return statements.flatMap(({ date, asOf, value }) => {
      const values = entryOf(vintages, asOf);
      const held = values.get(date);
      if (held === undefined) values.set(date, value);
      return held === undefined || sameNumber(held, value) ? [] : [{ date, asOf, held, given: value }];
    });
  }
}

function entryOf<Key, Value>(map: Map<Key, Map<Day, Value>>, key: Key): Map<Day, Value> {
  const known = map.get(key) ?? new Map<Day, Value>();
  map.set(key, known);
  return known;
}
