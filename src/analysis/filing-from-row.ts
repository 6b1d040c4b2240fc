import type { Filing, FormType, ReportingOwner } from '../domain/insider/filing.ts';
import type { Cell, Row } from '../operations/envelope.ts';

/**
 * The trade that a row of filings tells of, as far as it does: of joint filers only the first is known by more than
 * name and CIK, and what the service leaves out is taken for not stated.
 */
export function tradeFromRow(row: Row): Filing {
  const filedOn = textIn(row.filing_date) ?? '';
  const accessionNumber = textIn(row.accession_number);
  const lead = textIn(row.owner_name);
  return {
    filingId: accessionNumber ?? [filedOn, row.issuer_cik, row.owner_cik].join(' '),
    accessionNumber,
    formType: (textIn(row.form_type) ?? '4') as FormType,
    filedOn,
    acceptedAt: textIn(row.accepted_at),
    originalFiledOn: textIn(row.original_filing_date),
    periodOfReport: null,
    issuerCik: textIn(row.issuer_cik) ?? '',
    issuerName: textIn(row.issuer_name),
    ticker: textIn(row.ticker),
    owners: lead === null ? [] : [leadIn(row, lead), ...jointIn(row)],
    is10b51: typeof row.is_10b5_1 === 'boolean' ? row.is_10b5_1 : null,
    row: Number(row.row),
    isDerivative: row.is_derivative === true,
    securityTitle: textIn(row.security_title),
    transactionDate: textIn(row.transaction_date),
    transactionCode: textIn(row.transaction_code),
    acquiredDisposed: textIn(row.acquired_disposed) as Filing['acquiredDisposed'],
    shares: textIn(row.shares),
    pricePerShare: textIn(row.price_per_share),
    sharesOwnedAfter: textIn(row.shares_owned_after),
    ownership: textIn(row.ownership) as Filing['ownership'],
  };
}

function leadIn(row: Row, name: string): ReportingOwner {
  return {
    cik: textIn(row.owner_cik),
    name,
    isDirector: row.is_director === true,
    isOfficer: row.is_officer === true,
    isTenPercent: row.is_ten_percent === true,
    officerTitle: textIn(row.officer_title),
  };
}

function jointIn({ other_owners: names, other_owner_ciks: ciks }: Row): readonly ReportingOwner[] {
  const known = Array.isArray(names) ? names : [];
  const numbers = Array.isArray(ciks) ? ciks : [];
  const role = { isDirector: false, isOfficer: false, isTenPercent: false, officerTitle: null };
  return known.map((name, place) => ({ cik: textIn(numbers[place]), name: String(name), ...role }));
}

function textIn(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}
