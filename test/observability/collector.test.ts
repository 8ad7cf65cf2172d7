import { expect, test } from '@jest/globals'
import { load } from 'js-yaml'
import { read, sourcesOf } from '@lettergate/guard/tree'

type Parts = Record<string, Record<string, unknown> | null>
interface Collector {
  receivers: Parts
  processors: Parts & { redaction: { blocked_values: string[]; blocked_key_patterns: string[] } }
  connectors: Parts
  exporters: Parts
  extensions: Parts
  service: {
    extensions: string[]
    pipelines: Record<string, { receivers: string[]; processors: string[]; exporters: string[] }>
  }
}
interface DataSource {
  uid: string
  jsonData: {
    exemplarTraceIdDestinations?: { name: string; datasourceUid: string }[]
    derivedFields?: { matcherRegex: string; datasourceUid: string }[]
    tracesToLogsV2?: { datasourceUid: string }
  }
}

const collector = load(read('deploy/observability/collector.yaml')) as Collector
const { datasources } = load(read('deploy/observability/grafana/datasources.yaml')) as { datasources: DataSource[] }

test('the pipelines of the collector use each part that is configured, and no other', () => {
  const { receivers, processors, connectors, exporters, extensions, service } = collector
  const used = (of: 'receivers' | 'processors' | 'exporters') =>
    [...new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline[of]))].toSorted()
  const names = (...parts: Parts[]) => parts.flatMap(Object.keys).toSorted()
  expect(used('receivers')).toEqual(names(receivers, connectors))
  expect(used('exporters')).toEqual(names(exporters, connectors))
  expect(used('processors')).toEqual(names(processors))
  expect(service.extensions).toEqual(Object.keys(extensions))
})

test('traces are limited first and redacted before they are batched and leave', () => {
  expect(collector.service.pipelines['traces']).toEqual({
    receivers: ['otlp'],
    processors: ['memory_limiter', 'redaction', 'batch'],
    exporters: ['otlp', 'spanmetrics'],
  })
})

/** RE2 has no lookaround, and flags only in a group. */
const matches = (patterns: readonly string[], text: string) =>
  patterns.some((pattern) => new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? 'i' : '').test(text))

test.each([
  'mail to åsa+news@mail.example.org failed',
  'Bearer wallet-session-dev-owner',
  'basic YXBpOmRldi1hcGkta2V5',
  'wallet-session-dev-owner',
  'key-0123456789abcdef0123456789abcdef',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvd25lciJ9.c2lnbmF0dXJl',
])('a value with %s does not leave', (value) => {
  expect(matches(collector.processors.redaction.blocked_values, value)).toBe(true)
})

test.each([
  'POST /api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/upsert',
  'lettergate.contacts.v1.ContactsConsent/PrepareRecipients',
  'select count(*)::int as count from dead_letters where state = $1',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'contacts-consent__on-message-settled',
  '0197a000-0000-7000-8000-000000000001',
])('a value with %s leaves', (value) => {
  expect(matches(collector.processors.redaction.blocked_values, value)).toBe(false)
})

test('attributes for paths, clients and credentials do not leave, and the attributes of our spans do', () => {
  const isBlocked = (key: string) => matches(collector.processors.redaction.blocked_key_patterns, key)
  for (const key of ['url.full', 'url.query', 'client.address', 'user_agent.original', 'http.request.header.cookie'])
    expect([key, isBlocked(key)]).toEqual([key, true])
  const ours = ['libs', 'services']
    .flatMap(sourcesOf)
    .flatMap((path) => [
      ...read(path).matchAll(/'((?:lettergate|rpc|messaging|http|server|error|network|dns)\.[a-z_.]+)':/g),
    ])
    .map(([, key]) => key!)
  expect(new Set(ours).size).toBeGreaterThan(12)
  expect(ours.filter(isBlocked)).toEqual([])
})

test('Grafana leads from exemplars and log lines to traces, and back to log lines', () => {
  const uids = datasources.map(({ uid }) => uid)
  const links = datasources.flatMap(({ jsonData }) => [
    ...(jsonData.exemplarTraceIdDestinations ?? []),
    ...(jsonData.derivedFields ?? []),
    ...(jsonData.tracesToLogsV2 ? [jsonData.tracesToLogsV2] : []),
  ])
  expect(links).toHaveLength(3)
  for (const { datasourceUid } of links) expect(uids).toContain(datasourceUid)
  const [{ matcherRegex } = { matcherRegex: '' }] = datasources.flatMap(({ jsonData }) => jsonData.derivedFields ?? [])
  const line = '{"level":50,"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}'
  expect(new RegExp(matcherRegex).exec(line)?.[1]).toBe('0af7651916cd43dd8448eb211c80319c')
})
