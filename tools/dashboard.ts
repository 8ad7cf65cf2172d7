// The Grafana model of a dashboard, from a short description of its panels.

type Unit = 'short' | 's' | 'ops' | 'percentunit' | 'bytes' | 'dateTimeFromNow'

interface Panel {
  title: string
  unit: Unit
  type: 'timeseries' | 'stat' | 'table'
  about: string | undefined
  /** PromQL → its legend */
  queries: Record<string, string>
}

/** Lines over time. `about` says what a reader should know. */
export const lines = (title: string, unit: Unit, queries: Record<string, string>, about?: string): Panel => ({
  title,
  unit,
  type: 'timeseries',
  about,
  queries,
})
/** The values of now as large numbers. */
export const now = (...of: Parameters<typeof lines>): Panel => ({ ...lines(...of), type: 'stat' })
/** The values of now, one row for each set of labels. */
export const table = (...of: Parameters<typeof lines>): Panel => ({ ...lines(...of), type: 'table' })

/** The 50th, 95th and 99th percentile of a histogram; `by` are the labels that are kept apart, for the 99th only. */
export function percentiles(histogram: string, selector = '', by = ''): Record<string, string> {
  const of = (share: number, labels: string) =>
    `histogram_quantile(${share}, sum by (${labels}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`
  if (by !== '') return { [of(0.99, `le, ${by}`)]: `{{${by}}}` }
  return Object.fromEntries([0.5, 0.95, 0.99].map((share) => [of(share, 'le'), `p${share * 100}`]))
}

/** What happens a second, by these labels. */
export const rate = (metric: string, by: string, selector = '') =>
  `sum by (${by}) (rate(${metric}${selector}[$__rate_interval]))`
/** What happened in the interval of a point, by these labels. */
export const increase = (metric: string, by: string, selector = '') =>
  `sum by (${by}) (increase(${metric}${selector}[$__rate_interval]))`

export interface Dashboard {
  title: string
  description: string
  /** rows with their panels */
  rows: Record<string, readonly Panel[]>
  /** the label values that a reader can choose, by variable: a metric that has the label */
  choices?: Record<string, string>
}

const datasource = { type: 'prometheus', uid: '${datasource}' }
const [height, width, columns] = [8, 8, 24]

const targetsOf = ({ queries, type }: Panel) =>
  Object.entries(queries).map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    expr,
    legendFormat,
    // a dot on a latency leads to the trace of one request
    ...(expr.includes('_bucket') ? { exemplar: true } : {}),
    ...(type === 'timeseries' ? {} : { instant: true, ...(type === 'table' ? { format: 'table' } : {}) }),
  }))

/** The JSON that Grafana imports. */
export function grafanaModel(uid: string, { title, description, rows, choices = {} }: Dashboard) {
  let y = 0
  let id = 0
  const panels = Object.entries(rows).flatMap(([name, panelsOfRow]) => {
    const row = { id: (id += 1), type: 'row', title: name, gridPos: { x: 0, y: y++, w: columns, h: 1 } }
    const drawn = panelsOfRow.map((panel, index) => {
      const top = y + Math.floor(index / (columns / width)) * height
      return {
        id: (id += 1),
        type: panel.type,
        title: panel.title,
        ...(panel.about === undefined ? {} : { description: panel.about }),
        datasource,
        gridPos: { x: (index % (columns / width)) * width, y: top, w: width, h: height },
        fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
        targets: targetsOf(panel),
      }
    })
    y += Math.ceil(panelsOfRow.length / (columns / width)) * height
    return [row, ...drawn]
  })
  return {
    uid: `lettergate-${uid}`,
    title,
    description,
    tags: ['lettergate'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [{ type: 'dashboards', title: 'Lettergate', tags: ['lettergate'], asDropdown: true, keepTime: true }],
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        ...Object.entries(choices).map(([label, metric]) => ({
          name: label,
          label,
          type: 'query',
          datasource,
          query: { query: `label_values(${metric}, ${label})`, refId: label },
          refresh: 2,
          includeAll: false,
          sort: 1,
        })),
      ],
    },
    panels,
  }
}
