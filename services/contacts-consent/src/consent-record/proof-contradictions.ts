import type { AudienceVerdict, ConsentProof } from './consent-proof.ts'
import type { RecordedEvent } from './seal-hashes.ts'

/** The verdicts "may be mailed" that the record in the file contradicts. A refusal needs no proof. */
export function contradictions({ audiences, suppressions, events }: ConsentProof): string[] {
  const record = events.map(({ event }) => event)
  return audiences.flatMap((audience) => {
    const doubt = (text: string) => [`Audience ${audience.name} (${audience.id}): ${text}`]
    if (audience.eligible !== (audience.reasons.length === 0)) return doubt('the verdict does not fit its reasons.')
    if (!audience.eligible) return []
    const last = record.findLast((event) => isChoice(event) && concerns(event, audience))
    if (last?.['kind'] !== 'granted') return doubt('it says eligible, and the record holds no consent in force.')
    const stands = suppressions.some((one) => one.scope !== 'audience' || one.audience_id === audience.id)
    if (stands || openSuppressions(record, audience).length > 0)
      return doubt('it says eligible, and a suppression stands that nobody resolved.')
    return []
  })
}

/** A sign-up that waits for its confirmation is no consent yet. */
const isChoice = (event: RecordedEvent) =>
  (event['kind'] === 'granted' && event['reason'] !== 'confirmation_pending') || event['kind'] === 'withdrawn'

const concerns = (event: RecordedEvent, audience: AudienceVerdict) =>
  event['scope'] === 'workspace' || (event['scope'] === 'audience' && event['audience_id'] === audience.id)

/** Suppressions in the record without a resolution in the record. */
function openSuppressions(record: readonly RecordedEvent[], audience: AudienceVerdict): unknown[] {
  const last = new Map<unknown, RecordedEvent>()
  for (const event of record) {
    if ((event['suppression_id'] ?? null) !== null && concerns(event, audience))
      last.set(event['suppression_id'], event)
  }
  return [...last].filter(([, event]) => event['kind'] !== 'resolved')
}
