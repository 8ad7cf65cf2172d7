import { parser } from '@prometheus-io/lezer-promql'

/** One use of a metric in an expression. */
export interface Selector {
  metric: string
  matchers: readonly { label: string; operator: string; value: string }[]
}

/** An expression: its metrics, and the labels that it groups by or joins on. */
export interface MetricQuery {
  selectors: readonly Selector[]
  labels: readonly string[]
}

/** Reads an expression of a rule or a panel. Throws if it is not PromQL. */
export function readQuery(expression: string): MetricQuery {
  // Grafana replaces its variables; any duration stands for an interval
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h')
  const selectors: (Omit<Selector, 'matchers'> & { matchers: { label: string; operator: string; value: string }[] })[] =
    []
  const labels: string[] = []
  const cursor = parser.parse(text).cursor()
  let isGrouping = false
  do {
    const here = text.slice(cursor.from, cursor.to)
    if (cursor.type.isError) throw new Error(`not PromQL at ${cursor.from} of: ${text}`)
    if (cursor.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] })
    const last = selectors.at(-1)
    if (cursor.name === 'GroupingLabels') isGrouping = true
    if (cursor.name === 'VectorSelector' || cursor.name === 'UnquotedLabelMatcher') isGrouping = false
    if (cursor.name === 'Identifier') last!.metric = here
    else if (cursor.name === 'LabelName' && isGrouping) labels.push(here)
    else if (cursor.name === 'LabelName') last!.matchers.push({ label: here, operator: '', value: '' })
    else if (cursor.name === 'MatchOp') last!.matchers.at(-1)!.operator = here
    else if (cursor.name === 'StringLiteral' && last?.matchers.at(-1)?.value === '')
      last.matchers.at(-1)!.value = here.slice(1, -1)
  } while (cursor.next())
  return { selectors, labels }
}
