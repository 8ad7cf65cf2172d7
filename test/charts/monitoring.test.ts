import { expect, test } from '@jest/globals'
import { load } from 'js-yaml'
import { filesBelow, read } from '@lettergate/guard/tree'
import { manifestsOf, template, withHelm, type RenderedManifest } from './helm.ts'
import { deploymentsOf } from './workloads.ts'

const ofKind = (kind: string, manifests: readonly RenderedManifest[]) => manifests.filter((one) => one.kind === kind)

withHelm('monitoring', () => {
  test('the rules for Prometheus are the files of the chart, unchanged', () => {
    const files = filesBelow('charts/lettergate/files/rules')
    const rules = ofKind('PrometheusRule', manifestsOf('production'))
    expect(files.length).toBeGreaterThan(0)
    expect(rules.map(({ spec }) => spec)).toEqual(files.map((path) => load(read(path))))
  })

  test('the dashboards for Grafana are the files of the chart, unchanged', () => {
    const dashboards = ofKind('ConfigMap', manifestsOf('production')) as (RenderedManifest & {
      data: Record<string, string>
    })[]
    const files = filesBelow('charts/lettergate/files/dashboards')
    expect(files.length).toBeGreaterThan(0)
    expect(dashboards.map(({ data }) => Object.values(data).map((text) => JSON.parse(text) as unknown))).toEqual(
      files.map((path) => [JSON.parse(read(path))]),
    )
    for (const { metadata } of dashboards) expect(metadata.labels!['grafana_dashboard']).toBe('1')
  })

  test('the PodMonitor reads every process, and nothing of it exists unless it is turned on', () => {
    const [monitor] = ofKind('PodMonitor', manifestsOf('production'))
    const { podMetricsEndpoints } = monitor!.spec as { podMetricsEndpoints: { port: string; honorLabels: boolean }[] }
    expect(podMetricsEndpoints).toMatchObject([{ port: 'health', honorLabels: true }])
    for (const { container } of deploymentsOf(manifestsOf('production')))
      expect(container.ports!.map(({ name }) => name)).toContain('health')
    for (const kind of ['PodMonitor', 'PrometheusRule', 'ConfigMap'])
      expect(ofKind(kind, manifestsOf('default'))).toEqual([])
  })

  test('labels by which an operator finds them can be added', () => {
    const manifests = template('lettergate', '--set=monitoring.rules=true,monitoring.labels.release=prometheus')
    for (const { metadata } of ofKind('PrometheusRule', manifests))
      expect(metadata.labels!['release']).toBe('prometheus')
  })
})
