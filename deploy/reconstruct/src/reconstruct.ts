import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@bufbuild/protobuf'
import type { Automations } from '@lettergate/contracts/automations/v1/automations'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope } from '@lettergate/service'
import type { PlannedEmail, PlannedWorkflow, ReconstructionPlan } from './plan.ts'
import { ReconstructionRefusal } from './refusal.ts'
import type { ReconstructionReview } from './workflows/to-definition.ts'

/** The services that the program writes to. */
export interface ReconstructionClients {
  readonly identity: Pick<Client<typeof Identity>, 'requireReconstructionAllowed'>
  readonly campaigns: Pick<Client<typeof CampaignsDelivery>, 'reconstructEmailTemplate'>
  readonly automations: Pick<Client<typeof Automations>, 'reconstructAutomation'>
}

/** Who reconstructs, and where. */
export interface ReconstructionPlace {
  readonly organization: string
  readonly workspace: string
  /** the `wallet_user_id` of the operator, who becomes the author */
  readonly operator: string
}

/** What became of one object of the export. */
export interface ReconstructedObject {
  readonly type: 'email' | 'workflow'
  readonly objectId: string
  readonly slug: string
  readonly outcome: 'created' | 'appended' | 'unchanged' | 'refused'
  /** why it was refused */
  readonly reason?: string
  readonly warnings: readonly string[]
  readonly notMapped: readonly string[]
  readonly mustReview: readonly string[]
  /** the content version of an email */
  readonly contentVersionId?: string
}

const scopeOf = (place: ReconstructionPlace, workspaceId: string | null): CallScope => ({
  caller: {
    ...systemCaller('reconstruct', randomUUID()),
    workspaceId,
    organization: place.organization,
    workspace: place.workspace,
    actor: place.operator,
    actorKind: 'human',
  },
  deadline: Infinity,
  signal: new AbortController().signal,
})

/** Asks the environment whether it and the operator allow a reconstruction. Throws a ReconstructionRefusal if not. */
export async function requireAllowedIn(clients: ReconstructionClients, place: ReconstructionPlace): Promise<CallScope> {
  try {
    const { workspaceId } = await clients.identity.requireReconstructionAllowed(scopeOf(place, null), {
      organization: place.organization,
      workspace: place.workspace,
      walletUserId: place.operator,
    })
    return scopeOf(place, workspaceId)
  } catch (error) {
    throw refusalOf(error)
  }
}

/**
 * Writes the emails of a plan, then its workflows, one by one. An object that a service refuses does not stop the others: a step
 * that sends a refused email is left out and reviewed. Throws a ReconstructionRefusal when a service does not answer or the environment has
 * become one that could send; a repeat then continues.
 */
export async function reconstruct(
  clients: ReconstructionClients,
  place: ReconstructionPlace,
  plan: ReconstructionPlan,
): Promise<ReconstructedObject[]> {
  const scope = await requireAllowedIn(clients, place)
  const emails: ReconstructedObject[] = []
  for (const planned of plan.emails) emails.push(await writeEmail(clients, scope, planned))
  const byId = new Map(emails.map((email) => [email.objectId, email]))
  const contentOf = (id: string) => {
    const email = byId.get(id)
    if (email === undefined) return { reason: `the export has no email ${id}` }
    return email.contentVersionId === undefined
      ? { reason: `the email ${id} was refused: ${email.reason ?? ''}` }
      : { contentVersionId: email.contentVersionId }
  }
  const workflows: ReconstructedObject[] = []
  for (const planned of plan.workflows) {
    const { definition, review } = planned.define(contentOf)
    workflows.push(await writeWorkflow(clients, scope, { planned, definition, review }))
  }
  return [...emails, ...workflows]
}

async function writeEmail(
  { campaigns }: ReconstructionClients,
  scope: CallScope,
  { objectId, slug, entry, email, provenance }: PlannedEmail,
): Promise<ReconstructedObject> {
  const about = { type: 'email', objectId, slug, notMapped: email.notMapped, mustReview: [] } as const
  try {
    const stored = await campaigns.reconstructEmailTemplate(scope, {
      name: entry.name,
      slug,
      description: entry.description,
      subject: email.subject,
      html: email.html,
      preheader: email.preheader,
      plainText: email.plainText,
      personalizationDefaults: { ...email.personalizationDefaults },
      sourceProvenance: provenance,
    })
    const { stripped, reviewWarnings = [] } = stored.validation ?? {}
    const removed = [stripped?.tags, stripped?.attributes, stripped?.cssProperties, stripped?.protocols].flat()
    return {
      ...about,
      outcome: stored.outcome as ReconstructedObject['outcome'],
      contentVersionId: stored.contentVersionId,
      warnings: [...reviewWarnings, ...(removed.length > 0 ? [`the sanitiser removed ${removed.join(', ')}`] : [])],
    }
  } catch (error) {
    return { ...about, outcome: 'refused', reason: refusedObject(error), warnings: [] }
  }
}

async function writeWorkflow(
  { automations }: ReconstructionClients,
  scope: CallScope,
  {
    planned: { objectId, slug, entry, provenance },
    definition,
    review,
  }: { planned: PlannedWorkflow; definition: JsonObject; review: ReconstructionReview },
): Promise<ReconstructedObject> {
  const about = {
    type: 'workflow',
    objectId,
    slug,
    notMapped: review.not_mapped.map(({ source, kind, reason }) => `${source} (${kind}): ${reason}`),
    mustReview: review.must_review,
  } as const
  try {
    const stored = await automations.reconstructAutomation(scope, {
      name: entry.name,
      slug,
      description: entry.description,
      changeNotes: `Reconstructed from the object ${objectId} of another system`.slice(0, 500),
      definition,
      sourceProvenance: provenance,
      reconstructionReview: { ...review },
    })
    return { ...about, outcome: stored.outcome as ReconstructedObject['outcome'], warnings: stored.warnings }
  } catch (error) {
    return { ...about, outcome: 'refused', reason: refusedObject(error), warnings: [] }
  }
}

const refusedBecause = new Set(['invalid_argument', 'conflict'])
const limits = new Set(['automations_limit', 'versions_limit'])

/** Why a service refused one object. Everything else stops the run. */
function refusedObject(error: unknown): string {
  const isLimit = error instanceof Fault && limits.has(error.reason)
  if (error instanceof Fault && (refusedBecause.has(error.code) || isLimit)) return error.message
  throw refusalOf(error)
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Fault)) return error
  const isUnavailable = error.code === 'unavailable' || error.code === 'resource_exhausted'
  return new ReconstructionRefusal(isUnavailable ? 'unavailable' : 'environment', error.message)
}
