import fc from 'fast-check'
import { deliveryModes, type DeliveryMode } from './delivery-modes.ts'
import type { ModelAction } from './enrollment-model.ts'

/** One thing that happens in a trace. */
export type Act =
  | { readonly act: 'trigger'; readonly contact: number; readonly event: 'new' | 'repeated' | 'old' }
  | {
      readonly act: 'control'
      readonly action: ModelAction
      /** counts back from the newest enrollment */
      readonly enrollment: number
      /** the finished step that a replay names, or the last one */
      readonly step: number | undefined
    }
  | { readonly act: 'deploy'; readonly what: 'append' | 'publish' | 'pause' }
  | { readonly act: 'claim' | 'work' | 'repeat settlement' | 'kill'; readonly worker: number }
  | { readonly act: 'settle' | 'run'; readonly worker: number; readonly goesOn: boolean }
  | { readonly act: 'lose claims' | 'release' | 'archive audience' }
  | { readonly act: 'gate'; readonly isOpen: boolean }
  | { readonly act: 'automation'; readonly what: 'archive' | 'restore' }
  | { readonly act: 'synthetic'; readonly contact: number; readonly request: 'new' | 'repeated' }
  /** what a user does at the contact */
  | { readonly act: 'tag'; readonly contact: number; readonly isTagged: boolean }
  | { readonly act: 'delivery'; readonly mode: DeliveryMode }
  | { readonly act: 'wait'; readonly seconds: number }

export const people = 2
export const workers = 2

const worker = fc.nat({ max: workers - 1 })
const contact = fc.nat({ max: people - 1 })
const goesOn = fc.boolean()
/** Most acts lead contacts on, so that the others find them at every node. */
export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('trigger'),
      contact,
      event: fc.constantFrom('new', 'new', 'new', 'repeated', 'old'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('control'),
      action: fc.constantFrom('pause', 'resume', 'cancel', 'replay', 'replay'),
      enrollment: fc.constantFrom(0, 0, 0, 1, 2),
      step: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('deploy'),
      what: fc.constantFrom('append', 'publish', 'publish', 'pause'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constantFrom('claim', 'work', 'repeat settlement', 'kill'), worker }) },
  { weight: 8, arbitrary: fc.record({ act: fc.constantFrom('settle', 'run', 'run'), worker, goesOn }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('lose claims', 'lose claims', 'release', 'archive audience') }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('gate'), isOpen: fc.constantFrom(false, true, true) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('automation'), what: fc.constantFrom('archive', 'restore', 'restore') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('synthetic'),
      contact,
      request: fc.constantFrom('new', 'new', 'repeated'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('tag'), contact, isTagged: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('delivery'), mode: fc.constantFrom(...deliveryModes) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('wait'), seconds: fc.constantFrom(30, 60, 90) }) },
) as fc.Arbitrary<Act>
