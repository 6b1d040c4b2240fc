import { DuckDBInstance } from '@duckdb/node-api';

/** A Parquet file as DuckDB reads it, which shares no code with asof. */
export type ParquetContent = {
  /** The type of each column, by name, in the file's order. */
  readonly types: Readonly<Record<string, string>>;
  /** The cells of each row as text of DuckDB; lists are joined by `;`, missing values are null. */
  readonly rows: readonly (readonly (string | null)[])[];
};

/** Reads a Parquet file with DuckDB. */
export async function readParquet(path: string): Promise<ParquetContent> {
  const described = await queryDuckDb(`describe from '${path}'`);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const texts = columns.map(({ name, type }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return type === 'VARCHAR[]'
      ? `case when ${quoted} is not null then array_to_string(${quoted}, ';') end`
      : `${quoted}::varchar`;
  });
  return {
    types: Object.fromEntries(columns.map(({ name, type }) => [name, type])),
    rows: (await queryDuckDb(`select ${texts.join(', ')} from '${path}'`)) as ParquetContent['rows'],
  };
}

/** The rows of a DuckDB query. */
export async function queryDuckDb(query: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(query)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
