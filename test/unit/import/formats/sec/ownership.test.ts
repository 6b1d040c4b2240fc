import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../../../../src/import/formats/format.ts';
import { secOwnershipXml, secSubmissionText } from '../../../../../src/import/formats/sec/ownership.ts';
import { filing, owner } from '../../../../support/filings.ts';
import { director, documentOf, readTogether, trade } from '../../../../support/sec-documents.ts';
import { refusalOf, refuses, sourceFile } from '../../../../support/source-file.ts';

const name = '0000929638-23-001482.xml';
const filedOn = '2023-05-15';
const read = async (content: string, file = name, options: ReadOptions = { filedOn }) => {
  const records = (await readTogether([sourceFile(file, content)], options)).get(file);
  if (records === undefined) throw new Error('nothing was read');
  return records;
};
const only = async (content: string) => {
  const [filing, ...others] = (await read(content)).filings;
  if (filing === undefined || others.length > 0) throw new Error(`${others.length + 1} trades`);
  return filing;
};

describe('an ownership document', () => {
  it('gives one record per trade, field by field', async () => {
    expect(await only(documentOf({ more: '<aff10b5One>0</aff10b5One>' }))).toEqual(
      filing({
        filingId: '0000929638-23-001482',
        filedOn,
        periodOfReport: '2023-05-11',
        issuerCik: '0001493761',
        issuerName: 'Turtle Beach Corp',
        ticker: 'HEAR',
        owners: [owner({ cik: '0001777906', name: 'SZE JULIA' })],
        is10b51: false,
        transactionDate: '2023-05-11',
        shares: '5000',
        pricePerShare: '11.03',
        sharesOwnedAfter: '18453',
      }),
    );
  });

  it.each([
    ['1', true],
    ['false', false],
    ['', null],
    [undefined, null],
  ])('has the 10b5-1 checkbox %j as %j', async (text, value) => {
    const more = text === undefined ? '' : `<aff10b5One>${text}</aff10b5One>`;
    expect((await only(documentOf({ more }))).is10b51).toBe(value);
  });

  it.each([
    ['a footnote in place of its price', '<footnoteId id="F1"/>', null],
    ['no price', '', null],
    ['an empty price', '<value></value>', null],
    ['a price without text', '<value>0</value>', '0'],
    ['a price beside a footnote', '<value>4.090</value><footnoteId id="F1"/>', '4.090'],
  ])('has the right price with %s (%#)', async (_, transactionPricePerShare, price) => {
    expect((await only(documentOf({ tables: trade({ transactionPricePerShare }) }))).pricePerShare).toBe(
      price,
    );
  });

  it('numbers the trades of each table, and ignores holdings', async () => {
    const holding = '<nonDerivativeHolding><securityTitle/></nonDerivativeHolding>';
    const derivative = trade().replaceAll('nonDerivative', 'derivative');
    const of = (count: string) => trade({ transactionShares: `<value>${count}</value>` });
    const tables = `${of('1')}${holding}${of('2')}</nonDerivativeTable><derivativeTable>${derivative}</derivativeTable><nonDerivativeTable>`;
    // The tables end one table and begin another, so the frame of `documentOf` adds an empty one, which is removed.
    const content = documentOf({ tables }).replace('<nonDerivativeTable>\n</nonDerivativeTable>', '');
    const { filings } = await read(content);
    expect(filings.map(({ row, shares, isDerivative }) => [row, shares, isDerivative])).toEqual([
      [1, '1', false],
      [2, '2', false],
      [1001, '5000', true],
    ]);
    expect(await read(documentOf({ form: '3', tables: holding }))).toEqual({ filings: [], notes: [] });
  });

  it('keeps joint filers in their order, with their roles', async () => {
    const fund =
      '<reportingOwner><reportingOwnerId><rptOwnerCik>9</rptOwnerCik><rptOwnerName>A &amp; B\n Fund</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>false</isDirector><isOfficer>true</isOfficer><isTenPercentOwner>true</isTenPercentOwner><officerTitle>See Remarks</officerTitle></reportingOwnerRelationship></reportingOwner>';
    const { owners } = await only(documentOf({ owners: fund + director }));
    expect(owners.map((owner) => owner.name)).toEqual(['A & B Fund', 'SZE JULIA']);
    expect(owners[0]).toEqual({
      cik: '0000000009',
      name: 'A & B Fund',
      isDirector: false,
      isOfficer: true,
      isTenPercent: true,
      officerTitle: 'See Remarks',
    });
  });

  it('that is an amendment states when its original was filed', async () => {
    const more = '<dateOfOriginalSubmission>2023-05-12</dateOfOriginalSubmission>';
    expect(await only(documentOf({ form: '4/A', more }))).toMatchObject({
      formType: '4/A',
      originalFiledOn: '2023-05-12',
    });
  });

  it.each([
    ['&lt;b&gt; &quot;x&quot; &apos;y&apos;', '<b> "x" \'y\''],
    ['Caf&#233; &#xe9;', 'Café é'],
    ['AT&amp;amp;T', 'AT&amp;T'],
  ])('has its entities resolved once: %s', async (text, plain) => {
    const { securityTitle } = await only(
      documentOf({ tables: trade({ securityTitle: `<value>${text}</value>` }) }),
    );
    expect(securityTitle).toBe(plain);
  });

  it('is kept as stated when it is impossible, with a note', async () => {
    const early = trade({ transactionDate: '<value>0022-11-08</value>' });
    const other = trade({ transactionDate: '<value>1922-11-08</value>' });
    const { filings, notes } = await read(documentOf({ tables: trade() + early + other }));
    expect(filings.map(({ transactionDate }) => transactionDate)).toEqual([
      '2023-05-11',
      '0022-11-08',
      '1922-11-08',
    ]);
    expect(notes).toEqual([
      '2 impossible trades kept as stated, counted towards no cluster: 0000929638-23-001482 row 2, dated 0022-11-08, before insiders had to report (1934-06-06); 0000929638-23-001482 row 3, dated 1922-11-08, before insiders had to report (1934-06-06)',
    ]);
  });

  it('without an accession number is identified by its content', async () => {
    const [a, b, other] = await Promise.all(
      [documentOf(), documentOf(), documentOf({ form: '5' })].map((content) => read(content, 'form4.xml')),
    );
    expect(a?.filings[0]).toMatchObject({ accessionNumber: null });
    expect(a?.filings[0]?.filingId).toMatch(/^sha256-[0-9a-f]{16}$/);
    expect(b?.filings[0]?.filingId).toBe(a?.filings[0]?.filingId);
    expect(other?.filings[0]?.filingId).not.toBe(a?.filings[0]?.filingId);
    expect(a?.notes).toEqual(['its accession number is unknown, because its file name does not have it']);
  });

  it('without the CIK of its owner is read, with a note that names the owner', async () => {
    const owners = director.replace('<rptOwnerCik>0001777906</rptOwnerCik>', '');
    const { filings, notes } = await read(documentOf({ owners }));
    expect(filings[0]?.owners[0]).toMatchObject({ cik: null, name: 'SZE JULIA' });
    expect(notes).toEqual([
      'the CIK of SZE JULIA is not stated; trades of such an owner count towards no cluster',
    ]);
  });

  const shares = (transactionShares: string) => documentOf({ tables: trade({ transactionShares }) });
  const dated = (transactionDate: string) => documentOf({ tables: trade({ transactionDate }) });
  const column = 'column "transactionShares"';
  refuses(
    secOwnershipXml,
    name,
    {
      ', row 2, column "documentType": one of the forms 3, 4, 5, 3/A, 4/A and 5/A is missing here':
        documentOf({ form: '' }),
      ', row 2, column "documentType": "144": not one of the forms 3, 4, 5, 3/A, 4/A and 5/A': documentOf({
        form: '144',
      }),
      ', row 2, column "issuerCik": a CIK of up to ten digits is missing here': documentOf({ issuer: '' }),
      ', column "reportingOwner": the document names no owner': documentOf({ owners: '' }),
      ', row 6, column "rptOwnerName": the name of the owner is missing here': documentOf({
        owners: director.replace('SZE JULIA', ''),
      }),
      ', row 6, column "isDirector": "yes": not 0, 1, true or false': documentOf({
        owners: director.replace('>1<', '>yes<'),
      }),
      [`, row 12, ${column}: "many": not a number`]: shares('<value>many</value>'),
      [`, row 12, ${column}: the element around it appears twice`]: documentOf({
        tables: trade().replace(
          '<transactionAmounts>',
          '<transactionAmounts><transactionShares><value>1</value></transactionShares>',
        ),
      }),
      [`, row 12, ${column}: the element appears twice`]: shares('<value>1</value><value>2</value>'),
      [`, row 12, ${column}: text instead of this element`]: shares('5000'),
      [`, row 12, ${column}: elements instead of a text`]: shares('<value><b>1</b></value>'),
      [`, row 12, ${column}: "&shares;": not a number`]: shares('<value>&shares;</value>'),
      ', row 10, column "transactionDate": a date of the form YYYY-MM-DD is missing here':
        dated('<footnoteId id="F1"/>'),
      ', row 10, column "transactionDate": "2023-02-30": not a date of the form YYYY-MM-DD':
        dated('<value>2023-02-30</value>'),
      '…column "nonDerivativeTransaction": an empty element': documentOf({
        tables: '<nonDerivativeTransaction/>',
      }),
      ': 1001 trades in one table, but the form has 30 lines': documentOf({ tables: trade().repeat(1001) }),
      ', row 15: the XML is broken or cut short: …': documentOf().slice(0, -60),
      ': XML with a document type declaration is not read; remove its DOCTYPE': `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${documentOf().slice(22)}`,
      ': the XML is broken or cut short: …': documentOf({ tables: '<a>'.repeat(5000) + '</a>'.repeat(5000) }),
      ': larger than 16 MiB, the limit for a file of this kind': `${documentOf()}${' '.repeat(16 * 2 ** 20)}`,
      ': this XML is not an ownership document': '<edgarSubmission/>',
    },
    { filedOn },
  );

  it('with a name of 100,000 characters is refused in a short message', async () => {
    const broken = documentOf().replace('<ownershipDocument>', `<${'ownershipDocument<'.repeat(6000)}>`);
    const text = await refusalOf(secOwnershipXml, sourceFile(name, broken), { filedOn });
    expect(text).toContain(': the XML is broken or cut short');
    expect(text.length).toBeLessThan(2500);
  });
});

describe('a full submission', () => {
  const header = [
    '<SEC-DOCUMENT>0000929638-23-001482.txt : 20230515',
    '<SEC-HEADER>0000929638-23-001482.hdr.sgml : 20230515',
    '<ACCEPTANCE-DATETIME>20230515191500',
    'ACCESSION NUMBER:\t\t0000929638-23-001482',
    'CONFORMED SUBMISSION TYPE:\t4',
    'CONFORMED PERIOD OF REPORT:\t20230511',
    'FILED AS OF DATE:\t\t20230515',
    '</SEC-HEADER>',
  ].join('\n');
  const submission = (document = documentOf()) =>
    `${header}\n<DOCUMENT>\n<TYPE>4\n<TEXT>\n<XML>\n${document}\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>`;
  const readText = (content: string, options = {}) => read(content, 'filing.txt', options);

  it.each([
    ['as EDGAR keeps it', submission()],
    ['with Windows line ends', submission().replaceAll('\n', '\r\n')],
    ['indented', submission().replaceAll('\n', '\n    ')],
    ['with a signature', `-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nMIC-Info: x\n\n${submission()}`],
    ['with an exhibit', `${submission()}\n<DOCUMENT>\n<TYPE>EX-24\n<TEXT>\nPower\n</TEXT>\n</DOCUMENT>`],
  ])('%s has its accession number, its filing date and the second of its acceptance', async (_, content) => {
    const { filings, notes } = await readText(content);
    expect(notes).toEqual([]);
    expect(filings).toHaveLength(1);
    expect(filings[0]).toMatchObject({
      filingId: '0000929638-23-001482',
      accessionNumber: '0000929638-23-001482',
      filedOn: '2023-05-15',
      acceptedAt: '2023-05-15T23:15:00Z',
      formType: '4',
      ticker: 'HEAR',
      shares: '5000',
    });
  });

  it('may lack the time of acceptance', async () => {
    const { filings } = await readText(submission().replace(/<ACCEPTANCE.*\n/, ''));
    expect(filings[0]?.acceptedAt).toBeNull();
  });

  it('decodes its document as UTF-8', async () => {
    const content = submission(documentOf({ tables: trade({ securityTitle: '<value>Aktie “ä”</value>' }) }));
    expect((await readText(content)).filings[0]?.securityTitle).toBe('Aktie “ä”');
  });

  it('is dated by its header before --filed-on, with a note', async () => {
    const { filings, notes } = await readText(submission(), { filedOn: '2023-06-01' });
    expect(filings[0]?.filedOn).toBe('2023-05-15');
    expect(notes).toEqual(['filed on 2023-05-15 according to the SEC; --filed-on 2023-06-01 is ignored']);
  });

  const noLine = 'the SGML header lacks this line';
  refuses(secSubmissionText, 'filing.txt', {
    [`, column "FILED AS OF DATE": ${noLine}`]: submission().replace(/FILED AS.*\n/, ''),
    [`, column "ACCESSION NUMBER": ${noLine}`]: [
      submission().replace('ACCESSION NUMBER', 'NUMBER'),
      documentOf(),
    ],
    ', row 7, column "FILED AS OF DATE": "20230532": not a date of the form YYYYMMDD': submission().replace(
      '\t20230515',
      '\t20230532',
    ),
    ', column "documentType": the document states form 4/A, but the header 4': submission(
      documentOf({ form: '4/A' }),
    ),
    ': the submission has no ownership XML (before mid-2003 it was plain text)': `${header}\n<DOCUMENT>\n<TEXT>\nFORM 4\n`,
    ': the submission has two ownership documents': submission(documentOf() + documentOf().slice(22)),
    ': the submission is cut short: its ownership XML does not end': submission().slice(0, -200),
    ', row 24, column "transactionShares": "x": not a number': submission(
      documentOf({ tables: trade({ transactionShares: '<value>x</value>' }) }),
    ),
  });
});
