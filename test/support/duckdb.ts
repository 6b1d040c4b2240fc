import { DuckDBInstance } from '@duckdb/node-api';

/** What DuckDB, which shares no code with asof, reads in a Parquet file. */
export type Read = {
  /** The type of each column, by name, in the file's order. */
  readonly types: Readonly<Record<string, string>>;
  /** The cells of each row as DuckDB words them; lists joined by `;`, null where nothing is. */
  readonly rows: readonly (readonly (string | null)[])[];
};

/** Reads a Parquet file with DuckDB. */
export async function readParquet(path: string): Promise<Read> {
  const described = await ask(`describe from '${path}'`);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const texts = columns.map(({ name, type }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return type === 'VARCHAR[]'
      ? `case when ${quoted} is not null then array_to_string(${quoted}, ';') end`
      : `${quoted}::varchar`;
  });
  return {
    types: Object.fromEntries(columns.map(({ name, type }) => [name, type])),
    rows: (await ask(`select ${texts.join(', ')} from '${path}'`)) as Read['rows'],
  };
}

/** The rows that a query of DuckDB gives. */
export async function ask(query: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(query)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
