import { kyselyOf, sql, type Em } from '@lettergate/database'
import { selectCurrentDrafts } from '../drafts/campaign-draft-version.entity.ts'
import { Rehearsal } from '../testing/rehearsal.entity.ts'
import { selectTestSends } from '../testing/test-send.entity.ts'
import { testSendStates } from '../testing/test-send-states.ts'

/** Drafts that one report names. */
const draftsMax = 20

/** What campaigns-delivery itself knows of a workspace before a launch. */
export interface OwnFacts {
  /** campaigns whose current content shows no unsubscribe link */
  readonly draftsWithoutLink: readonly { id: string }[]
  /** the newest test send that the provider accepted */
  readonly testSend: { id: string; state: string; createdAt: Date } | undefined
  /** the newest verified rehearsal */
  readonly rehearsal: { id: string; verifiedAt: Date } | undefined
}

export async function readOwnFacts(em: Em, workspaceId: string): Promise<OwnFacts> {
  const draftsWithoutLink = await selectCurrentDrafts(em, workspaceId)
    .innerJoin('content_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'd.workspace_id').onRef('v.id', '=', 'd.content_version_id'),
    )
    .select('c.id')
    .where('c.status', '=', 'draft')
    .where((eb) => eb(eb.ref('v.validation', '->').key('unsubscribePresent'), '=', sql<boolean>`'false'::jsonb`))
    .orderBy('c.id', 'desc')
    .limit(draftsMax)
    .execute()
  const [testSend] = await selectTestSends(
    em,
    workspaceId,
    sql`s.state in ('accepted', 'soft_failed', 'delivered') order by r.created_at desc limit 1`,
  )
  const rehearsal = await kyselyOf(em, Rehearsal)
    .selectFrom('rehearsals')
    .select(['id', 'verified_at'])
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'verified')
    .orderBy('verified_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    draftsWithoutLink,
    testSend: testSend && {
      id: testSend.id,
      state: testSendStates[testSend.state],
      createdAt: new Date(testSend.created_at),
    },
    rehearsal: rehearsal && { id: rehearsal.id, verifiedAt: new Date(rehearsal.verified_at!) },
  }
}
