import { modelGraphs, type ModelGraph } from './model-graphs.ts'

export type ModelState = 'active' | 'waiting' | 'paused' | 'completed' | 'cancelled' | 'failed'

let stepsMade = 0

export class ModelEnrollment {
  readonly contact: number
  readonly version: number
  readonly isSynthetic: boolean
  state: ModelState = 'active'
  node: string
  number = 1
  /** names the step at this node, so that it is done once */
  step = ++stepsMade
  dueAt: number
  waitUntil: number | null = null
  isDue = true
  isHeld = false
  /** attempts at this step whose worker was lost, since the step was last answered */
  failedAttempts = 0
  /** why nobody knows whether the email of the step is sent */
  unsettled: string | null = null
  /** the finished steps by number */
  readonly finished = new Map<number, { readonly node: string; readonly text: string }>()
  readonly events: string[] = []

  constructor(contact: number, version: number, now: number, isSynthetic: boolean) {
    this.contact = contact
    this.version = version
    this.isSynthetic = isSynthetic
    this.dueAt = now
    const { start, nodes } = this.graph
    this.node = start
    const first = nodes[start]!
    if (first.does !== 'wait' || isSynthetic) return
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

  /** Whether the step at this node is a call of another service: an effect, also of a synthetic contact, or an email to a real one. */
  asksOthers(node: string): boolean {
    const { does } = this.graph.nodes[node]!
    return does === 'email' ? !this.isSynthetic : ['tag', 'untag', 'score', 'join'].includes(does)
  }

  end(state: 'completed' | 'cancelled' | 'failed') {
    this.state = state
    this.isDue = this.isHeld = false
  }

  arriveAt(node: string, number: number, now: number) {
    Object.assign(this, {
      node,
      number,
      step: ++stepsMade,
      dueAt: now,
      waitUntil: null,
      unsettled: null,
      failedAttempts: 0,
    })
  }
}
