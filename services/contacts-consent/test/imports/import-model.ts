import { importStatuses, type GivenStatus } from '../../src/imports/import-rows.ts'
import type { ContactsStage } from '../contacts-stage.ts'

export { importStatuses, type GivenStatus }

/** Everything that can have happened to an address before an import, in the words of this model. */
export const histories = {
  unknown: {},
  contact: { isContact: true },
  member: { isContact: true, isMember: true },
  left: { isContact: true, blocks: ['suppressed_audience'], isWithdrawn: true, hasLeft: true },
  'left, then resolved': { isContact: true, isWithdrawn: true },
  'left another audience': { isContact: true },
  'left the workspace': { isContact: true, blocks: ['suppressed_workspace'], isWithdrawn: true },
  'left the workspace, then resolved': { isContact: true, isWithdrawn: true },
  'left and came back': { isContact: true, isMember: true },
  bounced: { isContact: true, blocks: ['suppressed_workspace'] },
  'suppressed in the audience': { isContact: true, blocks: ['suppressed_audience'], isMember: true },
  'suppressed by an import': { isContact: true, blocks: ['suppressed_workspace'], isSuppressedByImport: true },
  'left by an import': { isContact: true, blocks: ['suppressed_audience'], isWithdrawn: true, hasLeft: true },
  'suppressed on the platform': { isContact: true, blocks: ['suppressed_platform'] },
  'suppressed on the platform by others': { blocks: ['suppressed_platform'] },
  'suppressed on the platform and erased there': { blocks: ['suppressed_platform'] },
  erased: { blocks: ['erased'], isErased: true },
  'erased and suppressed on the platform': { blocks: ['erased', 'suppressed_platform'], isErased: true },
  'erased and added again': { isContact: true, blocks: ['suppressed_workspace'], wasErased: true },
  'erased, added again and resolved': { isContact: true, isErasedBefore: true, wasErased: true },
  'erased, and subscribed again': { isContact: true, isMember: true, wasErased: true },
  'claim under review': { isContact: true, isUnderReview: true },
  'legacy without documents': { isContact: true, isUnverifiedLegacy: true },
  'legacy with documents': { isContact: true },
  'legacy member': { isContact: true, isUnverifiedLegacy: true, isMember: true },
} as const satisfies Record<string, Past>
export type History = keyof typeof histories

interface Past {
  isContact?: boolean
  isMember?: boolean
  isWithdrawn?: boolean
  hasLeft?: boolean
  isSuppressedByImport?: boolean
  isErased?: boolean
  isUnderReview?: boolean
  isErasedBefore?: boolean
  wasErased?: boolean
  isUnverifiedLegacy?: boolean
  blocks?: readonly string[]
}

/** One random row of a file. */
export interface ModelRow {
  history: History
  status: GivenStatus
  country: 'SE' | 'Sweden' | ''
}

/** The expected result of a row, by the rules as a person reads them. */
export function expectedOf(policy: string, { history, status, country }: ModelRow): string {
  const past: Past = histories[history]
  const contact = past.isContact ? 'existing' : 'new'
  const left = past.wasErased ? ['details_not_added'] : []
  const bad = country === 'Sweden' ? ['country_code_invalid'] : []
  if (status === 'suppressed' || status === 'unsubscribed') {
    if (past.isErased) return 'blocked_by_suppression none erased'
    const isInForce = status === 'suppressed' ? past.isSuppressedByImport : past.hasLeft
    const outcome = isInForce ? 'already_refused' : status === 'suppressed' ? 'suppressed' : 'withdrawn'
    return [outcome, contact, ...bad, ...left].join(' ')
  }
  if (bad.length > 0) return 'refused none country_code_invalid'
  if (past.blocks) return ['blocked_by_suppression none', ...past.blocks].join(' ')
  const unsaid = { '': 'no_status', unknown: 'other_row_status_unknown', pending: 'consent_pending' }[status as string]
  if (unsaid) return [`needs_review ${contact} ${unsaid}`, ...left].join(' ')
  const doubts = [
    ...(past.isWithdrawn ? ['consent_withdrawn'] : []),
    ...(past.isUnderReview ? ['consent_under_review'] : []),
    ...(past.isUnverifiedLegacy ? ['legacy_consent_unverified'] : []),
    ...(past.isErasedBefore ? ['erased_before'] : []),
  ]
  if (doubts.length > 0) return ['needs_review existing', ...doubts].join(' ')
  if (past.isMember) return ['already_subscribed existing', ...left].join(' ')
  return policy === 'review_required' ? `needs_review ${contact} review_required` : `consent_recorded ${contact}`
}

/** Whether the person may get email of the audience after the import. */
export function isEligibleAfter(policy: string, row: ModelRow): boolean {
  const past: Past = histories[row.history]
  const isRefused = row.status === 'suppressed' || row.status === 'unsubscribed'
  const wasEligible = past.isMember === true && !past.blocks && !past.isUnverifiedLegacy
  return !isRefused && (wasEligible || expectedOf(policy, row).startsWith('consent_recorded'))
}

/** Makes the history of an address true, through the API. */
export async function live(
  s: ContactsStage,
  { email, audience, other }: { email: string; audience: string; other: string },
  history: History,
  importAs: (status: string, policy?: string) => Promise<unknown>,
): Promise<void> {
  const add = (caller = s.us) => s.contact(caller, email)
  const leave = (contactId: string, audienceId = audience) =>
    s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
  const suppress = (contactId: string, scope: string, reason: string, caller = s.us) =>
    s.contacts.suppressContact(caller, {
      contactId,
      scope,
      reason,
      ...(scope === 'audience' ? { audienceId: audience } : {}),
    })
  const resolveAll = async (contactId: string) => {
    for (const { id } of await s.suppressions(contactId))
      await s.contacts.resolveSuppression(s.us, { suppressionId: id, resolutionReason: 'asked' })
  }
  const leaveWorkspace = async (contactId: string) => {
    const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
    const nobody = s.stage.caller({ workspaceId: null, role: null })
    await s.contacts.usePreferenceLink(nobody, { token: preferenceUrl.split('/preferences/')[1]!, via: 'one_click' })
  }
  const legacy = async (evidence?: Record<string, string>) =>
    (await s.contacts.upsertContact(s.us, { email, source: 'crm', isLegacy: true, legacyConsentEvidence: evidence }))
      .contact!.id
  const lives: Record<History, () => Promise<unknown>> = {
    unknown: async () => undefined,
    contact: () => add(),
    member: async () => s.subscribe(await add(), audience),
    left: async () => {
      const id = await add()
      await s.subscribe(id, audience)
      await leave(id)
    },
    'left, then resolved': async () => {
      const id = await add()
      await leave(id)
      await resolveAll(id)
    },
    'left another audience': async () => leave(await add(), other),
    'left the workspace': async () => leaveWorkspace(await add()),
    'left the workspace, then resolved': async () => {
      const id = await add()
      await s.subscribe(id, audience)
      await leaveWorkspace(id)
      await resolveAll(id)
    },
    'left and came back': async () => {
      const id = await add()
      await leave(id)
      await resolveAll(id)
      await s.subscribe(id, audience)
    },
    bounced: async () => suppress(await add(), 'workspace', 'hard_bounce'),
    'suppressed in the audience': async () => {
      const id = await add()
      await s.subscribe(id, audience)
      await suppress(id, 'audience', 'manual')
    },
    'suppressed by an import': () => importAs('suppressed'),
    'left by an import': () => importAs('unsubscribed'),
    'suppressed on the platform': async () => suppress(await add(), 'platform', 'legal'),
    'suppressed on the platform by others': async () => suppress(await add(s.them), 'platform', 'legal', s.them),
    'suppressed on the platform and erased there': async () => {
      const id = await add(s.them)
      await suppress(id, 'platform', 'legal', s.them)
      await s.erase(id, s.them)
    },
    erased: async () => s.erase(await add()),
    'erased and suppressed on the platform': async () => {
      const id = await add()
      await suppress(id, 'platform', 'legal')
      await s.erase(id)
    },
    'erased and added again': async () => {
      await s.erase(await add())
      await add()
    },
    'erased, added again and resolved': async () => {
      await s.erase(await add())
      await resolveAll(await add())
    },
    'erased, and subscribed again': async () => {
      await s.erase(await add())
      const id = await add()
      await resolveAll(id)
      await s.subscribe(id, audience)
    },
    'claim under review': () => importAs('subscribed', 'review_required'),
    'legacy without documents': () => legacy(),
    'legacy with documents': () => legacy({ captured_at: '2015-01-01T00:00:00Z', source: 'fair', wording: 'v0' }),
    'legacy member': async () => s.subscribe(await legacy(), audience),
  }
  await lives[history]()
}
