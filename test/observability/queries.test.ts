import { expect, test } from '@jest/globals'
import { load } from 'js-yaml'
import { filesBelow, read, sourcesOf } from '@lettergate/guard/tree'
import { dashboards } from '../../tools/dashboards.ts'
import { grafanaModel } from '../../tools/dashboard.ts'
import { metricsOfPage } from '../../tools/metrics-page.ts'
import { readQuery, type Selector } from './promql.ts'

interface Rule {
  record?: string
  alert?: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: { summary: string; runbook_url: string }
}
interface RuleGroup {
  name: string
  rules: Rule[]
}
interface Panel {
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
}

const folder = 'charts/lettergate/files'
const groups = filesBelow(`${folder}/rules`).flatMap((path) => (load(read(path)) as { groups: RuleGroup[] }).groups)
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule) => rule.alert !== undefined)
const models = filesBelow(`${folder}/dashboards`).map((path) => ({
  path,
  model: JSON.parse(read(path)) as { uid: string; title: string; panels: Panel[] },
}))
const drawn = models.flatMap(({ model }) =>
  model.panels
    .filter(({ type }) => type !== 'row')
    .map((panel) => ({ name: `${model.title}, ${panel.title}`, panel, targets: panel.targets! })),
)

/** What running processes expose: e2e/main-job.test.ts compares this list with them. */
const exposed = new Map(metricsOfPage().map((metric) => [metric.name, metric]))
const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
/** Every process has these two; Prometheus adds the address of the process. */
const ofEveryMetric = ['service', 'role', 'instance']

/** The declaration of a metric, of a histogram also by its parts. */
function declared(name: string) {
  const [, base, part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  const histogram = base === undefined ? undefined : exposed.get(base)
  if (histogram?.type !== 'histogram') return exposed.get(name)
  return { ...histogram, labels: [...histogram.labels, ...(part === 'bucket' ? ['le'] : [])] }
}

const labelsOf = (metric: string) => [...(declared(metric)?.labels ?? []), ...ofEveryMetric]

const sources = ['services', 'libs'].flatMap(sourcesOf).map(read).join('\n')
const statuses = /^(?:[1-5]\.\.|aborted)$/

/** What is wrong with one use of a metric. */
function problemsOf({ metric, matchers }: Selector): string[] {
  if (recorded.has(metric)) return matchers.map(({ label }) => `${metric} has no label ${label}`)
  const known = declared(metric)
  if (!known) return [`no process exposes ${metric}`]
  const chosen = Object.fromEntries(matchers.map(({ label, value }) => [label, value]))
  const isFrom = (process: string) => {
    const [service, role = 'service'] = process.split(' ')
    return [
      [chosen.service, service],
      [chosen.role, role],
    ].every(([wanted, actual]) => !wanted || wanted.startsWith('$') || wanted === actual)
  }
  return [
    ...matchers
      .filter(({ label }) => !labelsOf(metric).includes(label))
      .map(({ label }) => `${metric} has no label ${label}`),
    ...(known.processes.some(isFrom) ? [] : [`no such process exposes ${metric}`]),
    ...matchers
      .filter(({ label }) => !ofEveryMetric.includes(label))
      .flatMap(({ value }) => value.split('|'))
      .filter((value) => !statuses.test(value) && !sources.includes(`'${value}'`))
      .map((value) => `${metric} never has the value ${value}`),
  ]
}

function problemsIn(expression: string): string[] {
  const { selectors, labels } = readQuery(expression)
  const known = new Set(selectors.flatMap(({ metric }) => labelsOf(metric)))
  return [
    ...(selectors.length === 0 ? ['reads no metric'] : []),
    ...selectors.flatMap(problemsOf),
    ...labels.filter((label) => !known.has(label)).map((label) => `none of its metrics has the label ${label}`),
  ]
}

test('an expression is read with its metrics, matchers and labels', () => {
  expect(
    readQuery('sum by (le, route) (rate(a_bucket{service="gateway",status=~"5.."}[$__rate_interval])) / on (role) b'),
  ).toEqual({
    selectors: [
      {
        metric: 'a_bucket',
        matchers: [
          { label: 'service', operator: '=', value: 'gateway' },
          { label: 'status', operator: '=~', value: '5..' },
        ],
      },
      { metric: 'b', matchers: [] },
    ],
    labels: ['le', 'route', 'role'],
  })
})

test.each(['sum(a', 'sum(a) by', 'a{service=gateway}', 'a[5m', 'a b', ''])('not PromQL: %s', (text) => {
  expect(() => readQuery(text)).toThrow('not PromQL')
})

test.each([
  ['lettergate_hand_off_total', 'no process exposes lettergate_hand_off_total'],
  ['lettergate_hand_offs_total_count', 'no process exposes lettergate_hand_offs_total_count'],
  ['lettergate_hand_offs_total{outcome="accepted"}', 'lettergate_hand_offs_total has no label outcome'],
  ['lettergate_hand_offs_total{result="acepted"}', 'lettergate_hand_offs_total never has the value acepted'],
  ['lettergate_http_seconds_count{service="imports"}', 'no such process exposes lettergate_http_seconds_count'],
  ['sum by (le) (lettergate_http_seconds_sum)', 'none of its metrics has the label le'],
])('%s is found to be wrong', (expression, problem) => {
  expect(problemsIn(expression)).toEqual([problem])
})

test('every rule reads metrics and labels that the processes expose', () => {
  expect(rules.length).toBeGreaterThan(50)
  expect(rules.flatMap(({ record, alert, expr }) => problemsIn(expr).map((is) => `${record ?? alert}: ${is}`))).toEqual(
    [],
  )
})

test('every panel reads metrics and labels that the processes expose, and its legend names labels that it keeps', () => {
  expect(drawn.length).toBeGreaterThan(60)
  const wrong = drawn.flatMap(({ name, targets }) =>
    targets.flatMap(({ expr, legendFormat }) => {
      const { labels, selectors } = readQuery(expr)
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
      const lost = labels.length > 0 && legend.filter((label) => !labels.includes(label))
      const unknown = legend.filter((label) => !selectors.some(({ metric }) => labelsOf(metric).includes(label)))
      return [...problemsIn(expr), ...(lost || []), ...unknown].map((is) => `${name}: ${is}`)
    }),
  )
  expect(wrong).toEqual([])
})

test('rules have unique names, and each alert says how long, how bad, what it is and where its runbook is', () => {
  const names = [...groups.map(({ name }) => name), ...rules.map(({ alert, record }) => alert ?? record)]
  expect(new Set(names).size).toBe(names.length)
  for (const { alert, for: duration, labels, annotations } of alerts)
    expect({ alert, duration, ...labels, ...annotations }).toEqual({
      alert: expect.stringMatching(/^[a-z_]+$/),
      duration: expect.stringMatching(/^\d+[smh]$/),
      severity: expect.stringMatching(/^(?:warning|critical)$/),
      summary: expect.stringMatching(/^\S.{10,}/),
      runbook_url: expect.stringMatching(/^docs\/runbooks\/[a-z_]+\.md$/),
    })
  const runbooks = new Set(filesBelow('docs/runbooks'))
  expect(alerts.filter(({ annotations }) => !runbooks.has(annotations!.runbook_url))).toEqual([])
})

test('each alert of the console has a rule of its name and its severity', () => {
  const raised = ['services', 'libs']
    .flatMap(sourcesOf)
    .map(read)
    .filter((source) => /AlertRaisedSchema|storeAlerts/.test(source))
    .flatMap((source) => [...source.matchAll(/code: '([a-z_]+)'(?:,\s+severity: '(\w+)')?/g)])
  expect(raised.length).toBeGreaterThan(25)
  for (const [, code, severity = expect.stringMatching(/warning|critical/)] of raised) {
    const rule = alerts.find(({ alert }) => alert === code)
    expect([code, rule?.labels?.severity]).toEqual([code, severity])
    expect(rule!.expr).toContain(`lettergate_alerts_open{code="${code}"}`)
    expect(rule!.annotations!.runbook_url).toBe(`docs/runbooks/${code}.md`)
  }
})

test.each(['gateway', 'webhook_intake', 'hand_offs'])('%s has burn rates over a long and a short window', (name) => {
  const ratio = (window: string) => `lettergate:${name}_errors:ratio_rate${window}`
  for (const window of ['5m', '30m', '1h', '6h', '3d']) {
    const rule = rules.find(({ record }) => record === ratio(window))!
    const read = [...rule.expr.matchAll(/\[(\w+)\]/g)].map(([, length]) => length)
    expect([window, ...new Set(read)]).toEqual([window, window])
  }
  const metricsOf = (alert: string) =>
    readQuery(alerts.find((rule) => rule.alert === alert)!.expr).selectors.map(({ metric }) => metric)
  expect(metricsOf(`${name}_availability_burns_fast`)).toEqual(['1h', '5m', '6h', '30m'].map(ratio))
  expect(metricsOf(`${name}_availability_burns_slowly`)).toEqual(['3d', '6h'].map(ratio))
})

test('the dashboards are made from tools/dashboards.ts, and no panel covers another', () => {
  const made = Object.entries(dashboards).map(([name, dashboard]) => [name, grafanaModel(name, dashboard)])
  expect(Object.fromEntries(models.map(({ path, model }) => [/(\w+)\.json$/.exec(path)![1], model]))).toEqual(
    JSON.parse(JSON.stringify(Object.fromEntries(made))),
  ) // node tools/write-dashboards.ts
  for (const { model } of models) {
    const cells = model.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...model.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBe(24)
  }
})
