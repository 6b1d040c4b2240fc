/** What SQLite writes in other words than PostgreSQL. */
const translations: readonly (readonly [words: RegExp, ours: string])[] = [
  [/\basof\./g, ''],
  [/::(?:double precision|\w+)(?:\[\])?/g, ''],
  [/ collate "C"/g, ''],
  [/ = any\((@\w+)\)/g, ' in (select value from json_each($1))'],
  [/\barray_agg\(/g, 'json_group_array('],
  [/\bstrpos\(/g, 'instr('],
  [/\bchr\(/g, 'char('],
  // A series has a number here, which is shorter than its id in millions of rows.
  [/\bseries = @id\b/g, 'series = (select key from series where id = @id)'],
];

/** A statement for SQLite. */
export function translated(sql: string): string {
  return translations.reduce((text, [words, ours]) => text.replace(words, ours), sql);
}
