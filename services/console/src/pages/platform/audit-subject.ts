import type { AuditEntry } from '@lettergate/client/console'
import { gatesInWords } from '../../parts/gates-in-words.ts'
import { inWords } from '../../parts/words.ts'

type Subject = Pick<AuditEntry, 'organization' | 'workspace' | 'action' | 'subject_type' | 'subject_id' | 'detail'>

const textIn = (detail: Subject['detail'], name: string): string | undefined => {
  const value = detail[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The first and the last digits of an id, which are enough to compare two entries. */
const shortened = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)

const gateName = (id: string): string | undefined =>
  Object.entries(gatesInWords).find(([name]) => name === id)?.[1].title

function nameOf({ subject_type, subject_id, detail }: Subject): string {
  if (subject_type === 'platform_gate') return gateName(subject_id) ?? subject_id
  if (subject_type === 'tag' && textIn(detail, 'from') && textIn(detail, 'to'))
    return `${textIn(detail, 'from')} → ${textIn(detail, 'to')}`
  if (subject_type === 'content_version' && typeof detail['version'] === 'number') return `version ${detail['version']}`
  for (const name of ['name', 'domain_name', 'slug', 'field_key']) {
    const found = textIn(detail, name)
    if (found !== undefined) return found
  }
  return shortened(subject_id)
}

type PathOf = (id: string, detail: Subject['detail']) => string | undefined

const inWorkspace: Record<string, PathOf> = {
  contact: (id, detail) => {
    const erasure = textIn(detail, 'erasure_id')
    return erasure ? `/erasures/${erasure}` : `/contacts/${id}`
  },
  suppression: (_, detail) => (textIn(detail, 'contact_id') ? `/contacts/${textIn(detail, 'contact_id')}` : undefined),
  audience: (id) => `/audiences/${id}`,
  tag: () => '/tags',
  field_definition: () => '/tags',
  import: (id) => `/imports/${id}`,
  subscription_source: (_, detail) => `/sources${textIn(detail, 'slug') ? `/${textIn(detail, 'slug')}` : ''}`,
  campaign: (id) => `/campaigns/${id}`,
  campaign_run: (id) => `/runs/${id}`,
  campaign_webhook: () => '/webhook',
  email_template: (id) => `/templates/${id}`,
  content_version: (id, detail) =>
    textIn(detail, 'template_id') && `/templates/${textIn(detail, 'template_id')}?version=${id}`,
  automation: (id) => `/automations/${id}`,
  enrollment: (id) => `/enrollments/${id}`,
  sending_domain: (id) => `/domains/${id}`,
  provider_connection: () => '/sending',
  sender_identity: () => '/sending',
  provider_event: (id) => `/provider-events?id=${id}`,
  test_send: () => '/testing',
  preflight: (id) => `/testing?preflight=${id}`,
  synthetic_rehearsal: (id) => `/testing?rehearsal=${id}`,
  operator: () => '/team',
  workspace: () => '',
}
const ofPlatform: Record<string, string> = {
  platform_gate: '/platform/gates',
  alert: '/platform/alerts?show=all',
}

function pageOf({ organization, workspace, action, subject_type, subject_id, detail }: Subject): string | undefined {
  const platform = ofPlatform[subject_type]
  if (platform !== undefined) return platform
  if (organization === null || workspace === null || action.endsWith('_deleted')) return undefined
  const path = inWorkspace[subject_type]?.(subject_id, detail)
  return path === undefined ? undefined : `/w/${organization}/${workspace}${path}`
}

/** What an entry is about: its kind, its name or the ends of its id, and its page if it has one. */
export const subjectOf = (entry: Subject): { kind: string; name: string; to: string | undefined } => ({
  kind: inWords(entry.subject_type),
  name: nameOf(entry),
  to: pageOf(entry),
})
