import type { Transformation } from '../domain/series/transformation.ts';
import { unitText } from '../domain/series/units.ts';
import type { NamedValues } from '../operations/value.ts';
import type { QueryContext } from './answer.ts';
import { descriptionOf, knowledgeDay } from './coverage.ts';
import type { Query } from './query.ts';
import { transformationIn } from './question.ts';

/** A line that a file with notes has about an answer. */
type About = readonly [name: string, text: string];

/**
 * What a file with notes says about an answer besides its rows: as of which days it was known, how its values were
 * transformed, how its vintages came about, the day to which its data are covered, and the titles and units of its
 * series. Must be called after the last page.
 */
export async function aboutAnswer(query: Query, context: QueryContext): Promise<readonly About[]> {
  const about: About[] = [...daysAbout(query), ...valuesAbout(query)];
  const day = knowledgeDay(query) ?? context.basis.today;
  const transformation = transformationOfQuery(query);
  const asked = query.kind === 'question' ? query.values : query;
  const readsSeries = query.kind === 'question' && query.question.reading !== undefined;
  const hasSeries = readsSeries || 'ids' in asked || 'id' in asked;
  for (const { subject, covered_to, vintage_kind } of context.basis.upTo(day)) {
    const row = hasSeries ? await descriptionOf({ id: subject }, context) : undefined;
    const texts = [row?.title, row?.units, row?.source].filter((text) => text !== undefined && text !== '');
    if (texts.length > 0) about.push(['Series', `${subject}: ${texts.join('; ')}`]);
    const unit = row && unitText(transformation?.units ?? 'lin', String(row.units ?? ''));
    if (unit) about.push(['Unit', `${subject}: ${unit}`]);
    if (vintage_kind !== undefined) about.push(['Vintages', `${subject}: ${vintage_kind}`]);
    if (covered_to !== undefined) about.push(['Coverage', `${subject}: to ${covered_to}`]);
  }
  return about;
}

/** The days as of which the contents of an answer were known. */
function daysAbout(query: Query): readonly About[] {
  const asOf = (text: string): readonly About[] => [['As of', text]];
  switch (query.kind) {
    case 'operation': {
      const { boundBy } = query.operation;
      const others = Object.entries(query.params).filter(([name]) => name !== 'id' && name !== boundBy);
      const day = boundBy === undefined ? undefined : query.params[boundBy];
      return [
        ...(day !== undefined || query.ids !== undefined ? asOf(dayText(day)) : []),
        ...others.map(([name, value]): About => ['Parameter', `${name}: ${value}`]),
      ];
    }
    case 'question':
      return query.question.asOfTexts?.(query.values).flatMap(asOf) ?? [];
  }
}

function dayText(day: string | number | undefined): string {
  return day === undefined ? 'the newest vintage' : String(day);
}

/** How the published values were transformed, and which of them were skipped. */
function valuesAbout(query: Query): readonly About[] {
  const { lag, beyond }: NamedValues = query.kind === 'question' ? query.values : { ...query };
  return [
    ...transformedAbout(transformationOfQuery(query)),
    ...(typeof lag === 'number' && lag > 0 ? [['Lag', `the newest ${lag} skipped`] as const] : []),
    ...(beyond === 'repeat'
      ? [['Beyond', 'on days after the coverage the newest value that is known'] as const]
      : []),
  ];
}

function transformedAbout(transformation: Transformation | undefined): readonly About[] {
  if (transformation === undefined) return [];
  const { units, digits, aggregation } = transformation;
  const { frequency, aggregate = 'avg', partial = false } = aggregation ?? {};
  return [
    ...(frequency === undefined
      ? []
      : [
          [
            'Frequency',
            `${frequency}, ${aggregate}${partial ? ', also of periods not complete' : ''}`,
          ] as const,
        ]),
    ...(units === 'lin' ? [] : [['Transformation', `${units}, computed within each vintage`] as const]),
    ...(digits === undefined ? [] : [['Digits', String(digits)] as const]),
  ];
}

function transformationOfQuery(query: Query): Transformation | undefined {
  if (query.kind === 'question') return transformationIn(query.values);
  return 'transformation' in query ? query.transformation : undefined;
}
