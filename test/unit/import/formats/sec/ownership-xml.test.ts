import { describe, expect, it } from 'vitest';
import { secOwnershipXml } from '../../../../../src/import/formats/sec/ownership.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { director, documentOf, readTogether, trade } from '../../../../support/sec-documents.ts';
import { refusalOf, sourceFile } from '../../../../support/source-file.ts';

const name = '0000929638-23-001482.xml';
const filedOn = '2023-05-15';
const read = async (content: string | Buffer, options = { filedOn }) => {
  const records = (await readTogether([sourceFile(name, content)], options)).get(name);
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
    expect(await only(documentOf({ more: '<aff10b5One>0</aff10b5One>' }))).toEqual({
      filingId: '0000929638-23-001482',
      accessionNumber: '0000929638-23-001482',
      row: 1,
      formType: '4',
      filedOn,
      acceptedAt: null,
      originalFiledOn: null,
      periodOfReport: '2023-05-11',
      issuerCik: '0001493761',
      issuerName: 'Turtle Beach Corp',
      ticker: 'HEAR',
      owners: [
        {
          cik: '0001777906',
          name: 'SZE JULIA',
          isDirector: true,
          isOfficer: false,
          isTenPercent: false,
          officerTitle: null,
        },
      ],
      is10b51: false,
      isDerivative: false,
      securityTitle: 'Common Stock',
      transactionDate: '2023-05-11',
      transactionCode: 'P',
      acquiredDisposed: 'A',
      shares: '5000',
      pricePerShare: '11.03',
      sharesOwnedAfter: '18453',
      ownership: 'D',
    });
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
    const tables = `${trade({ transactionShares: '<value>1</value>' })}${holding}${trade({ transactionShares: '<value>2</value>' })}</nonDerivativeTable><derivativeTable>${derivative}</derivativeTable><nonDerivativeTable>`;
    // The tables end one table and begin another, so the frame of `documentOf` adds an empty one, which is removed.
    const content = documentOf({ tables }).replace('<nonDerivativeTable>\n</nonDerivativeTable>', '');
    const { filings } = await read(content);
    expect(filings.map(({ row, shares, isDerivative }) => [row, shares, isDerivative])).toEqual([
      [1, '1', false],
      [2, '2', false],
      [1001, '5000', true],
    ]);
  });

  it('with holdings only has no trade', async () => {
    const tables = '<nonDerivativeHolding><securityTitle/></nonDerivativeHolding>';
    expect(await read(documentOf({ form: '3', tables }))).toEqual({ filings: [], notes: [] });
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
      '2 impossible trades are kept as stated and count towards no cluster: 0000929638-23-001482 row 2, dated 0022-11-08, before insiders had to report (1934-06-06); 0000929638-23-001482 row 3, dated 1922-11-08, before insiders had to report (1934-06-06)',
    ]);
  });

  it('without an accession number is identified by its content', async () => {
    const [a, b, other] = await Promise.all(
      [documentOf(), documentOf(), documentOf({ form: '5' })].map(async (content) => {
        const records = await readTogether([sourceFile('form4.xml', content)], { filedOn });
        return records.get('form4.xml');
      }),
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
});

describe('an invalid ownership document', () => {
  const shares = (transactionShares: string) => documentOf({ tables: trade({ transactionShares }) });
  const long = Array(1001).fill(trade()).join('');
  it.each<[string, string | Buffer, string]>([
    ['without a form', documentOf({ form: '' }), ', row 2, column "documentType": one of the forms'],
    [
      'of another form',
      documentOf({ form: '144' }),
      ', row 2, column "documentType": "144": not one of the forms',
    ],
    [
      'without an issuer',
      documentOf({ issuer: '' }),
      ', row 2, column "issuerCik": a CIK of up to ten digits is missing',
    ],
    [
      'without an owner',
      documentOf({ owners: '' }),
      ', column "reportingOwner": the document names no owner',
    ],
    [
      'with a nameless owner',
      documentOf({ owners: director.replace('SZE JULIA', '') }),
      ', row 6, column "rptOwnerName": the name of the owner is missing',
    ],
    [
      'with an odd flag',
      documentOf({ owners: director.replace('>1<', '>yes<') }),
      ', row 6, column "isDirector": "yes": not 0, 1, true or false',
    ],
    [
      'with shares in words',
      shares('<value>many</value>'),
      ', row 12, column "transactionShares": "many": not a number',
    ],
    [
      'with repeated shares',
      documentOf({
        tables: trade().replace(
          '<transactionAmounts>',
          '<transactionAmounts><transactionShares><value>1</value></transactionShares>',
        ),
      }),
      ', row 12, column "transactionShares": the element around it appears twice',
    ],
    [
      'with two values',
      shares('<value>1</value><value>2</value>'),
      ', row 12, column "transactionShares": the element appears twice',
    ],
    [
      'with a text instead of an element',
      shares('5000'),
      ', row 12, column "transactionShares": text instead of this element',
    ],
    [
      'with elements instead of a text',
      shares('<value><b>1</b></value>'),
      'column "transactionShares": elements instead of a text',
    ],
    [
      'with an undefined entity',
      shares('<value>&shares;</value>'),
      'column "transactionShares": "&shares;": an entity that XML does not define',
    ],
    [
      'with an invalid character reference',
      shares('<value>&#xD800;</value>'),
      'an entity that XML does not define',
    ],
    [
      'without the date of a trade',
      documentOf({ tables: trade({ transactionDate: '<footnoteId id="F1"/>' }) }),
      ', row 10, column "transactionDate": a date of the form YYYY-MM-DD is missing',
    ],
    [
      'with a day that does not exist',
      documentOf({ tables: trade({ transactionDate: '<value>2023-02-30</value>' }) }),
      ', row 10, column "transactionDate": "2023-02-30": not a date',
    ],
    [
      'with an empty trade',
      documentOf({ tables: '<nonDerivativeTransaction/>' }),
      'column "nonDerivativeTransaction": an empty element',
    ],
    [
      'with more trades than forms have',
      documentOf({ tables: long }),
      ': 1001 trades in one table, but the form has 30 lines',
    ],
    ['cut short', documentOf().slice(0, -60), ', row 15: the XML is broken or cut short'],
    [
      'that declares entities',
      `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${documentOf().slice(22)}`,
      ': XML with a document type declaration is not read',
    ],
    [
      'that is nested without end',
      documentOf({ tables: '<a>'.repeat(5000) + '</a>'.repeat(5000) }),
      ': the XML is broken or cut short',
    ],
    [
      'that is not UTF-8',
      Buffer.from(documentOf({ more: '<remarks>\xe9</remarks>' }), 'latin1'),
      ': this is not UTF-8 text',
    ],
    ['larger than 16 MiB', `${documentOf()}${' '.repeat(16 * 2 ** 20)}`, ': larger than 16 MiB'],
    ['that is another document', '<edgarSubmission/>', ': this XML is not an ownership document'],
  ])('%s', async (_, content, detail) => {
    expect(await refusalOf(secOwnershipXml, sourceFile(name, content), { filedOn })).toContain(detail);
  });
});

describe('ownership XML', () => {
  it('with a name of 100,000 characters is refused in a short message', async () => {
    const broken = documentOf().replace('<ownershipDocument>', `<${'ownershipDocument<'.repeat(6000)}>`);
    const text = await refusalOf(secOwnershipXml, sourceFile(name, broken), { filedOn });
    expect(text).toContain(': the XML is broken or cut short');
    expect(text.length).toBeLessThan(2500);
  });

  it.each([
    [documentOf(), true],
    [documentOf().slice(22), true],
    [`<?xml version="1.0"?>\n<!-- a --><!-- b -->\n${documentOf().slice(22)}`, true],
    [`<SEC-DOCUMENT>${documentOf()}`, false],
    ['<feed><ownershipDocument/></feed>', false],
    [`${'<!---->'.repeat(5000)}<x/>`, false],
  ])('is recognised by its root (%#)', (head, expected) => {
    expect(secOwnershipXml.recognise(textHead(head, name))).toBe(expected);
  });
});
