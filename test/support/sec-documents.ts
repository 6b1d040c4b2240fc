import type { SourceFile } from '../../src/import/files/source-file.ts';
import type { ReadOptions } from '../../src/import/formats/format.ts';
import { recognise } from '../../src/import/formats/recognise.ts';
import { type FileRecords, readAll } from './source-file.ts';

/** The parts of an ownership document, as XML. */
export type Parts = {
  readonly form?: string;
  readonly issuer?: string;
  readonly owners?: string;
  readonly tables?: string;
  readonly more?: string;
};

/** A reporting owner who is a director. */
export const director =
  '<reportingOwner><reportingOwnerId><rptOwnerCik>0001777906</rptOwnerCik><rptOwnerName>SZE JULIA</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>';

/** An open-market purchase with some of its elements replaced. */
export function trade(changes: Readonly<Record<string, string>> = {}): string {
  const elements: Readonly<Record<string, string>> = {
    securityTitle: '<value>Common Stock</value>',
    transactionDate: '<value>2023-05-11</value>',
    transactionShares: '<value>5000</value>',
    transactionPricePerShare: '<value>11.03</value>',
    transactionCode: 'P',
    sharesOwnedFollowingTransaction: '<value>18453</value>',
    directOrIndirectOwnership: '<value>D</value>',
    ...changes,
  };
  const element = (name: string) => `<${name}>${elements[name]}</${name}>`;
  return [
    '<nonDerivativeTransaction>',
    element('securityTitle'),
    element('transactionDate'),
    `<transactionCoding>${element('transactionCode')}</transactionCoding>`,
    `<transactionAmounts>${element('transactionShares')}${element('transactionPricePerShare')}<transactionAcquiredDisposedCode><value>A</value></transactionAcquiredDisposedCode></transactionAmounts>`,
    `<postTransactionAmounts>${element('sharesOwnedFollowingTransaction')}</postTransactionAmounts>`,
    `<ownershipNature>${element('directOrIndirectOwnership')}</ownershipNature>`,
    '</nonDerivativeTransaction>',
  ].join('\n');
}

/** An ownership document of one trade with some of its parts replaced; the trade begins on line 8. */
export function documentOf({ form = '4', issuer, owners = director, tables, more = '' }: Parts = {}): string {
  return [
    '<?xml version="1.0"?>',
    '<ownershipDocument>',
    `<schemaVersion>X0407</schemaVersion>${more}`,
    `<documentType>${form}</documentType><periodOfReport>2023-05-11</periodOfReport>`,
    `<issuer>${issuer ?? '<issuerCik>1493761</issuerCik><issuerName>Turtle Beach Corp</issuerName><issuerTradingSymbol>HEAR</issuerTradingSymbol>'}</issuer>`,
    owners,
    '<nonDerivativeTable>',
    tables ?? trade(),
    '</nonDerivativeTable>',
    '</ownershipDocument>',
  ].join('\n');
}

/** The filings and notes of a file. */
export type FilingRecords = Pick<FileRecords, 'filings' | 'notes'>;

/** Reads files as one import: each in its recognised format. */
export async function readTogether(
  files: readonly SourceFile[],
  options: ReadOptions = {},
): Promise<ReadonlyMap<string, FilingRecords>> {
  const records = new Map<string, FilingRecords>();
  for (const file of files) {
    const { filings, notes } = await readAll(await recognise(file), file, { together: files, ...options });
    records.set(file.name, { filings, notes });
  }
  return records;
}
