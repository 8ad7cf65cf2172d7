import { modelGraphs, type ModelGraph } from './model-graphs.ts'

export type ModelState = 'active' | 'waiting' | 'paused' | 'completed' | 'cancelled' | 'failed'
export type ModelAction = 'pause' | 'resume' | 'cancel' | 'replay'

/** Which states an action leads from, and to which one. */
const controls: Record<ModelAction, { from: readonly ModelState[]; to: ModelState; event: string }> = {
  pause: { from: ['active', 'waiting'], to: 'paused', event: 'paused' },
  resume: { from: ['paused'], to: 'active', event: 'resumed' },
  cancel: { from: ['active', 'waiting', 'paused', 'failed'], to: 'cancelled', event: 'cancelled' },
  replay: { from: ['failed'], to: 'active', event: 'replayed' },
}

let stepsMade = 0

export class ModelEnrollment {
  readonly contact: number
  readonly version: number
  state: ModelState = 'active'
  node: string
  number = 1
  /** names the step at this node, so that it is done once */
  step = ++stepsMade
  dueAt: number
  waitUntil: number | null = null
  isDue = true
  isHeld = false
  /** the finished steps by number */
  readonly finished = new Map<number, { readonly node: string; readonly text: string }>()
  readonly events: string[] = []

  constructor(contact: number, version: number, now: number) {
    this.contact = contact
    this.version = version
    this.dueAt = now
    const { start, nodes } = this.graph
    this.node = start
    const first = nodes[start]!
    if (first.does !== 'wait') return
    this.state = 'waiting'
    this.dueAt = this.waitUntil = now + first.seconds * 1_000
  }

  get graph(): ModelGraph {
    return modelGraphs[(this.version - 1) % modelGraphs.length]!
  }

  /** whether the contact is in the automation */
  get isIn(): boolean {
    return this.state === 'active' || this.state === 'waiting' || this.state === 'paused'
  }

  end(state: 'completed' | 'cancelled' | 'failed') {
    this.state = state
    this.isDue = this.isHeld = false
  }

  arriveAt(node: string, number: number, now: number) {
    Object.assign(this, { node, number, step: ++stepsMade, dueAt: now, waitUntil: null })
  }
}

/** What a worker knows of a contact since it took the set. */
interface Taken {
  readonly enrollment: ModelEnrollment
  readonly step: number
  readonly node: string
  readonly number: number
  readonly waitUntil: number | null
}

type Result =
  | { readonly kind: 'moved'; readonly text: string; readonly to: string | undefined }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'waits'; readonly until: number }

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
  status: 'draft' | 'published' | 'paused' = 'published'
  version = 1
  publishedVersion = 1
  isArchived = false
  readonly enrollments: ModelEnrollment[] = []
  readonly claims = new Set<ModelClaim>()
  readonly contacts: { score: number; isMember: boolean }[]
  readonly #seen = new Set<string>()
  /** the outcomes of effects by step */
  readonly #effects = new Map<number, string>()

  constructor(contacts: number, now: number) {
    this.now = now
    this.contacts = Array.from({ length: contacts }, () => ({ score: 0, isMember: false }))
  }

  /** Answers whether the contact entered. */
  trigger(contact: number, event: string, isOld: boolean): boolean {
    if (this.#seen.has(event)) return false
    this.#seen.add(event)
    if (isOld || this.status !== 'published' || this.#isIn(contact)) return false
    this.enrollments.push(new ModelEnrollment(contact, this.publishedVersion, this.now))
    return true
  }

  #isIn = (contact: number) => this.enrollments.some((one) => one.contact === contact && one.isIn)

  /** Answers whether the action fits. */
  control(one: ModelEnrollment, action: ModelAction, number: number | undefined): boolean {
    const { from, to, event } = controls[action]
    if (!from.includes(one.state)) return false
    if (action === 'replay' && this.#isIn(one.contact)) return false
    one.events.push(event)
    if (action === 'replay') {
      const last = Math.max(...one.finished.keys())
      one.arriveAt(one.finished.get(number ?? last)!.node, last + 1, this.now)
    }
    if (action === 'cancel') one.end('cancelled')
    else one.state = to
    if (action === 'pause') one.isDue = one.isHeld = false
    if (action === 'resume') one.dueAt = this.now
    if (to === 'active') one.isDue = true
    return true
  }

  isClaimed = (one: ModelEnrollment) => [...this.claims].some(({ people }) => people.includes(one))

  /** Takes everybody who is due. Undefined for nobody. */
  claim(): ModelSet | undefined {
    const due = this.enrollments.filter((one) => one.isDue && one.dueAt <= this.now)
    for (const one of due) one.isDue = false
    if (this.status !== 'published') for (const one of due) one.isHeld = true
    if (this.status !== 'published' || due.length === 0) return undefined
    const claim = { people: due }
    this.claims.add(claim)
    return { claim, people: due.map(taken) }
  }

  /** Does the steps of a set: their effects happen, and nothing is recorded. */
  work(set: ModelSet) {
    set.results = set.people.map((one) => ({ taken: one, result: this.#resultOf(one) }))
  }

  #resultOf({ enrollment, step, node: key, waitUntil }: Taken): Result {
    const node = enrollment.graph.nodes[key]!
    const contact = this.contacts[enrollment.contact]!
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
      case 'score': {
        if (!this.#effects.has(step)) contact.score += node.amount
        this.#effects.set(step, 'applied')
        return { kind: 'moved', text: 'applied', to: node.to }
      }
      case 'join': {
        if (!this.#effects.has(step)) {
          const outcome = contact.isMember ? 'unchanged' : 'applied'
          this.#effects.set(step, this.isArchived ? 'failed' : outcome)
          contact.isMember ||= !this.isArchived
        }
        const text = this.#effects.get(step)!
        return text === 'failed'
          ? { kind: 'failed', text: 'failed audience_archived' }
          : { kind: 'moved', text, to: node.to }
      }
    }
  }

  /** Records the results of a set, and answers what the worker goes on with. */
  settle({ claim, results }: ModelSet, goesOn: boolean): ModelSet | undefined {
    const mayGoOn = goesOn && this.claims.has(claim) && this.status === 'published'
    const going = results!.flatMap(({ taken: one, result }) => this.#record(one, result, mayGoOn))
    claim.people = going
    if (going.length === 0) this.claims.delete(claim)
    return going.length === 0 ? undefined : { claim, people: going.map(taken) }
  }

  #record(from: Taken, first: Result, mayGoOn: boolean): ModelEnrollment[] {
    const one = from.enrollment
    if (one.isIn && one.step !== from.step) return []
    for (let at = from, result = first; ; at = taken(one), result = this.#resultOf(at)) {
      if (result.kind !== 'waits' && !one.finished.has(at.number))
        one.finished.set(at.number, { node: at.node, text: result.text })
      if (!one.isIn) return []
      if (result.kind === 'failed') {
        one.end('failed')
        one.events.push('failed')
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
      for (const one of people) if (one.state === 'active' || one.state === 'waiting') one.isDue = true
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
  const { step, node, number, waitUntil } = enrollment
  return { enrollment, step, node, number, waitUntil }
}
