import type { DeliveryMode } from './delivery-modes.ts'
import { ModelEnrollment, type ModelState } from './model-enrollment.ts'

export type ModelAction = 'pause' | 'resume' | 'cancel' | 'replay'

/** Which states an action leads from, and to which one. */
const controls: Record<ModelAction, { from: readonly ModelState[]; to: ModelState; event: string }> = {
  pause: { from: ['active', 'waiting'], to: 'paused', event: 'paused' },
  resume: { from: ['paused'], to: 'active', event: 'resumed' },
  cancel: { from: ['active', 'waiting', 'paused', 'failed'], to: 'cancelled', event: 'cancelled' },
  replay: { from: ['failed'], to: 'active', event: 'replayed' },
}

/** Contacts in a set. */
export const setMax = 200
/** When to ask again. */
export const emailWaitsMs = 60_000
const retryAfterMs = 5_000

/** What a worker knows of a contact since it took the set. */
interface Taken {
  readonly enrollment: ModelEnrollment
  readonly step: number
  readonly node: string
  readonly number: number
  readonly waitUntil: number | null
  readonly unsettled: string | null
  readonly failedAttempts: number
}

type Result =
  | { readonly kind: 'moved'; readonly text: string; readonly to: string | undefined }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'waits'; readonly until: number }
  | { readonly kind: 'later'; readonly at: number; readonly reason: string }
  | { readonly kind: 'not begun'; readonly at: number }

interface ModelClaim {
  people: ModelEnrollment[]
}

/** A set that a worker has, also after its lease has run out. */
export interface ModelSet {
  readonly claim: ModelClaim
  readonly people: readonly Taken[]
  results?: { readonly taken: Taken; readonly result: Result }[]
}

/**
 * An automation with its contacts, one act at a time: what the engine must do whatever workers do. Every act has a time of its own.
 */
export class EnrollmentModel {
  now: number
  status: 'draft' | 'published' | 'paused' | 'archived' = 'published'
  version = 1
  publishedVersion = 1
  isAudienceArchived = false
  isGateOpen = true
  delivery: DeliveryMode = 'accepts'
  readonly enrollments: ModelEnrollment[] = []
  readonly claims = new Set<ModelClaim>()
  readonly contacts: { score: number; isMember: boolean; isTagged: boolean }[]
  /** emails that each contact has, or may have */
  readonly emails: number[]
  readonly #seen = new Set<string>()
  /** the enrollments of synthetic requests by their keys */
  readonly #requests = new Map<string, ModelEnrollment>()
  /** the outcomes of effects and emails by step */
  readonly #effects = new Map<number, string>()

  constructor(contacts: number, now: number) {
    this.now = now
    this.contacts = Array.from({ length: contacts }, () => ({ score: 0, isMember: false, isTagged: false }))
    this.emails = this.contacts.map(() => 0)
  }

  /** Answers whether the contact entered. */
  trigger(contact: number, event: string, isOld: boolean): boolean {
    if (!this.isGateOpen) return false
    if (this.#seen.has(event)) return false
    this.#seen.add(event)
    if (isOld || this.status !== 'published' || this.#isIn(contact)) return false
    this.enrollments.push(new ModelEnrollment(contact, this.publishedVersion, this.now, false))
    return true
  }

  /** Enrols a synthetic contact in the current version. Answers its enrollment, or how the request is refused. */
  enrolSynthetic(contact: number, key: string): ModelEnrollment | 'conflict' | 'failed_precondition' {
    const earlier = this.#requests.get(key)
    if (earlier) return earlier.version === this.version && earlier.contact === contact ? earlier : 'conflict'
    if (!this.isGateOpen) return 'conflict'
    if (this.#isIn(contact)) return 'conflict'
    if (this.status !== 'published') return 'failed_precondition'
    const enrollment = new ModelEnrollment(contact, this.version, this.now, true)
    this.enrollments.push(enrollment)
    this.#requests.set(key, enrollment)
    return enrollment
  }

  #isIn = (contact: number) => this.enrollments.some((one) => one.contact === contact && one.isIn)

  /** Answers whether the action fits. */
  control(one: ModelEnrollment, action: ModelAction, number: number | undefined): boolean {
    const { from, to, event } = controls[action]
    if (!this.isGateOpen || !from.includes(one.state)) return false
    if (action === 'replay' && this.#isIn(one.contact)) return false
    one.events.push(event)
    if (action === 'replay') {
      const last = Math.max(...one.finished.keys())
      one.arriveAt(one.finished.get(number ?? last)!.node, last + 1, this.now)
    }
    if (action === 'cancel') this.#cancel(one)
    else one.state = to
    if (action === 'pause') one.isDue = one.isHeld = false
    if (action === 'resume') one.dueAt = this.now
    if (to === 'active') one.isDue = true
    return true
  }

  /** An email that may be sent is recorded. */
  #cancel(one: ModelEnrollment) {
    if (one.unsettled !== null) one.finished.set(one.number, { node: one.node, text: `unknown ${one.unsettled}` })
    one.end('cancelled')
  }

  isClaimed = (one: ModelEnrollment) => [...this.claims].some(({ people }) => people.includes(one))

  /** Takes those who are due, fewer after failed attempts of the first one. Undefined for nobody. */
  claim(): ModelSet | undefined {
    const ordered = this.enrollments
      .filter((one) => one.isDue && one.dueAt <= this.now)
      .toSorted((a, b) => a.dueAt - b.dueAt)
    const due = ordered.slice(0, Math.max(1, setMax >> (ordered[0]?.failedAttempts ?? 0)))
    for (const one of due) one.isDue = false
    if (this.status !== 'published') for (const one of due) one.isHeld = true
    if (this.status !== 'published' || due.length === 0) return undefined
    const claim = { people: due }
    this.claims.add(claim)
    return { claim, people: due.map(taken) }
  }

  /**
   * Does the steps of a set, unless the gate is closed, and those that ask another service only while the automation is published:
   * their effects happen, and nothing is recorded.
   */
  work(set: ModelSet) {
    const { isGateOpen, now } = this
    set.results = set.people.map((one) => ({
      taken: one,
      result: isGateOpen ? this.#resultOf(one) : { kind: 'not begun', at: now },
    }))
  }

  #resultOf(taken: Taken): Result {
    const { enrollment, step, node: key, waitUntil } = taken
    const node = enrollment.graph.nodes[key]!
    const contact = this.contacts[enrollment.contact]!
    if (this.status !== 'published' && enrollment.asksOthers(key)) return { kind: 'not begun', at: this.now }
    switch (node.does) {
      case 'end':
        return { kind: 'moved', text: 'completed', to: undefined }
      case 'wait': {
        const until = waitUntil ?? this.now + node.seconds * 1_000
        return until <= this.now ? { kind: 'moved', text: 'waited', to: node.to } : { kind: 'waits', until }
      }
      case 'choose':
        return contact.score > node.above
          ? { kind: 'moved', text: 'decided yes', to: node.yes }
          : { kind: 'moved', text: 'decided default', to: node.no }
      case 'choose tagged':
        return contact.isTagged
          ? { kind: 'moved', text: 'decided yes', to: node.yes }
          : { kind: 'moved', text: 'decided default', to: node.no }
      case 'tag':
      case 'untag': {
        const isTagged = node.does === 'tag'
        if (!this.#effects.has(step)) {
          this.#effects.set(step, contact.isTagged === isTagged ? 'unchanged' : 'applied')
          contact.isTagged = isTagged
        }
        return { kind: 'moved', text: this.#effects.get(step)!, to: node.to }
      }
      case 'email':
        return this.#emailOf(taken, node.to)
      case 'score': {
        if (!this.#effects.has(step)) contact.score += node.amount
        this.#effects.set(step, 'applied')
        return { kind: 'moved', text: 'applied', to: node.to }
      }
      case 'join': {
        if (!this.#effects.has(step)) {
          const outcome = contact.isMember ? 'unchanged' : 'applied'
          this.#effects.set(step, this.isAudienceArchived ? 'failed' : outcome)
          contact.isMember ||= !this.isAudienceArchived
        }
        const text = this.#effects.get(step)!
        return text === 'failed'
          ? { kind: 'failed', text: 'failed audience_archived' }
          : { kind: 'moved', text, to: node.to }
      }
    }
  }

  #emailOf({ enrollment, step }: Taken, to: string): Result {
    if (enrollment.isSynthetic) return { kind: 'moved', text: 'simulated', to }
    if (this.delivery === 'is down')
      return { kind: 'later', at: this.now + retryAfterMs, reason: enrollment.unsettled ?? 'delivery_unavailable' }
    if (!this.#effects.has(step)) {
      if (this.delivery === 'is under way') return { kind: 'later', at: this.now + emailWaitsMs, reason: 'under_way' }
      if (this.delivery === 'waits') return { kind: 'later', at: this.now + emailWaitsMs, reason: 'workspace_sending' }
      const text = {
        accepts: 'accepted',
        skips: 'skipped not_subscribed',
        fails: 'failed status_400',
        'is not sure': 'unknown',
      }[this.delivery]
      this.#effects.set(step, text)
      if (text === 'accepted' || text === 'unknown') this.emails[enrollment.contact]! += 1
    }
    const text = this.#effects.get(step)!
    return text.startsWith('failed') ? { kind: 'failed', text } : { kind: 'moved', text, to }
  }

  /** Records the results of a set, and answers what the worker goes on with. */
  settle({ claim, results }: ModelSet, goesOn: boolean): ModelSet | undefined {
    const mayGoOn = goesOn && this.isGateOpen && this.claims.has(claim) && this.status === 'published'
    const going = results!.flatMap(({ taken: one, result }) => this.#record(one, result, mayGoOn))
    claim.people = going
    if (going.length === 0) this.claims.delete(claim)
    return going.length === 0 ? undefined : { claim, people: going.map(taken) }
  }

  #record(from: Taken, first: Result, mayGoOn: boolean): ModelEnrollment[] {
    const one = from.enrollment
    if (one.isIn && one.step !== from.step) return []
    for (let at = from, result = first; ; at = taken(one), result = this.#resultOf(at)) {
      if ('text' in result && !one.finished.has(at.number))
        one.finished.set(at.number, { node: at.node, text: result.text })
      const later = result.kind === 'later' && result.reason !== 'workspace_sending' ? result.reason : null
      const unsettled = result.kind === 'not begun' ? at.unsettled : later
      if (!one.isIn) {
        if (unsettled !== null && !one.finished.has(at.number))
          one.finished.set(at.number, { node: at.node, text: `unknown ${unsettled}` })
        return []
      }
      one.unsettled = unsettled
      one.failedAttempts = result.kind === 'not begun' ? at.failedAttempts : 0
      if (result.kind === 'failed') {
        one.end('failed')
        one.events.push('failed')
        return []
      }
      if (result.kind === 'later' || result.kind === 'not begun') {
        one.dueAt = result.at
        one.isDue = one.state !== 'paused'
        return []
      }
      if (result.kind === 'waits') {
        Object.assign(one, { dueAt: result.until, waitUntil: result.until })
        one.isDue = one.state !== 'paused'
        if (one.isDue) one.state = 'waiting'
        return []
      }
      if (result.to === undefined) {
        one.end('completed')
        return []
      }
      one.arriveAt(result.to, at.number + 1, this.now)
      if (one.state !== 'paused') one.state = 'active'
      const { does } = one.graph.nodes[one.node]!
      const isGoing = mayGoOn && one.state === 'active'
      one.isDue = one.state === 'active' && !isGoing
      if (!isGoing) return []
      if (does !== 'wait' && does !== 'end') return [one]
    }
  }

  /** All leases run out: everybody in the claims is due again. */
  loseClaims() {
    for (const { people } of this.claims)
      for (const one of people.filter(({ state }) => state === 'active' || state === 'waiting')) {
        one.isDue = true
        one.failedAttempts += 1
      }
    this.claims.clear()
  }

  release() {
    if (this.status !== 'published') return
    for (const one of this.enrollments.filter(({ isHeld }) => isHeld)) {
      one.isHeld = false
      one.isDue = true
    }
  }
}

const taken = (enrollment: ModelEnrollment): Taken => {
  const { step, node, number, waitUntil, unsettled, failedAttempts } = enrollment
  return { enrollment, step, node, number, waitUntil, unsettled, failedAttempts }
}
