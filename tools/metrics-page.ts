// The tables of metrics in docs/observability.md, made from what running services declare:
// node test/e2e/write-metrics.ts
import { readFileSync } from 'node:fs'
import type { Service } from '@lettergate/service'

/** A metric, with the processes that expose it: a service, or a service and its role. */
export interface DeclaredMetric {
  name: string
  type: string
  labels: readonly string[]
  help: string
  processes: readonly string[]
}

const [begin, end] = ['<!-- metrics -->', '<!-- end of metrics -->']

const processOf = ({ name, role }: Service) => (role === 'service' ? name : `${name} ${role}`)

/** Every metric that these processes have declared, whether it has a value yet or not. */
export async function declaredMetrics(services: readonly Service[]): Promise<DeclaredMetric[]> {
  const found = new Map<string, DeclaredMetric & { processes: string[] }>()
  for (const service of services) {
    const labels = new Map(
      service.metrics
        .getMetricsAsArray()
        .map((metric) => [metric.name, (metric as { labelNames?: string[] }).labelNames]),
    )
    for (const { name, type, help } of await service.metrics.getMetricsAsJSON()) {
      const known = found.get(name)
      if (known === undefined)
        found.set(name, {
          name,
          type: String(type),
          labels: labels.get(name) ?? [],
          help,
          processes: [processOf(service)],
        })
      else if (!known.processes.includes(processOf(service))) known.processes.push(processOf(service))
    }
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

const titleOf = ({ name, processes }: DeclaredMetric, all: number) => {
  if (!name.startsWith('lettergate_')) return 'Node.js processes'
  const services = new Set(processes.map((process) => process.split(' ')[0]!))
  return services.size === 1 ? [...services][0]! : processes.length === all ? 'Every process' : 'Several services'
}

const cell = (text: string) => text.replaceAll('|', '\\|')
const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

function row({ name, type, labels, help, processes }: DeclaredMetric): string {
  return `| \`${name}\` | ${type} | ${list(labels)} | ${cell(help)} | ${processes.toSorted().join(', ')} |`
}

/** The tables, one for each service and one for what several have in common. */
export function metricsTables(declared: readonly DeclaredMetric[]): string {
  const all = new Set(declared.flatMap(({ processes }) => processes)).size
  const tables = [...Map.groupBy(declared, (metric) => titleOf(metric, all))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, metrics]) =>
      [
        `### ${title}`,
        '',
        '| metric | type | labels | meaning | processes |',
        '| --- | --- | --- | --- | --- |',
        ...metrics.map(row),
      ].join('\n'),
    )
  return `${begin}\n\n${tables.join('\n\n')}\n\n${end}`
}

/** A page with these tables in the place of its tables. */
export function withTables(text: string, tables: string): string {
  const [before, after] = [text.split(begin)[0], text.split(end)[1]]
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} and ${end}`)
  return before + tables + after
}

export const page = new URL('../docs/observability.md', import.meta.url)

/** The metrics that the page lists. */
export function metricsOfPage(): DeclaredMetric[] {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \| ([^|]+) \|$/gm)
  return [...rows].map(([, name, type, labels, help, processes]) => ({
    name: name!,
    type: type!,
    labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    help: help!,
    processes: processes!.split(', '),
  }))
}
