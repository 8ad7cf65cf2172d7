import { z } from 'zod'
import { ReconstructionRefusal } from '../refusal.ts'

/** Conditions have the form and the operators of an automation, with a list of the legacy system in place of an audience. */
export type LegacyCondition =
  | { all: LegacyCondition[] }
  | { any: LegacyCondition[] }
  | { not: LegacyCondition }
  | { field: string; operator: string; value?: unknown }
  | { tag: string; operator: string }
  | { list: string; operator: string }
  | { score: true; operator: string; value?: unknown }
  /** a condition that the format does not know */
  | { other: string }

const name = z.string().trim().min(1).max(200)
const legacyId = z.union([name, z.int().nonnegative().transform(String)])
const comparison = { operator: z.string().max(40), value: z.json().optional() }

const condition: z.ZodType<LegacyCondition> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(condition).min(1).max(20) }),
    z.strictObject({ any: z.array(condition).min(1).max(20) }),
    z.strictObject({ not: condition }),
    z.strictObject({ field: name, ...comparison }),
    z.strictObject({ tag: name, operator: comparison.operator }),
    z.strictObject({ list: legacyId, operator: comparison.operator }),
    z.strictObject({ score: z.literal(true), ...comparison }),
    z.strictObject({ other: name }),
  ]),
) as z.ZodType<LegacyCondition>

const common = { id: legacyId, name: z.string().max(200).optional() }
const next = z.union([legacyId, z.null()]).default(null)

const knownSteps = [
  z.strictObject({ ...common, type: z.literal('email'), email: legacyId, sender: name.default('default'), next }),
  z.strictObject({ ...common, type: z.literal('wait'), seconds: z.int(), next }),
  z.strictObject({ ...common, type: z.literal('wait_until'), at: name, next }),
  z.strictObject({ ...common, type: z.literal('add_tag'), tag: name, next }),
  z.strictObject({ ...common, type: z.literal('remove_tag'), tag: name, next }),
  z.strictObject({ ...common, type: z.literal('join_list'), list: legacyId, next }),
  z.strictObject({ ...common, type: z.literal('leave_list'), list: legacyId, next }),
  z.strictObject({ ...common, type: z.literal('set_field'), field: name, value: z.json(), next }),
  z.strictObject({ ...common, type: z.literal('add_score'), amount: z.int(), next }),
  z.strictObject({
    ...common,
    type: z.literal('branch'),
    branches: z.array(z.strictObject({ name, condition, next })).min(1).max(20),
    otherwise: next,
  }),
  z.strictObject({ ...common, type: z.literal('end') }),
] as const

const knownTypes = knownSteps.map((step) => step.shape.type.value as string)

/** Any other step; its own fields are not read. */
const otherStep = z
  .looseObject({ ...common, type: name, next })
  .refine(({ type }) => !knownTypes.includes(type), { message: 'is a known step with wrong fields' })
  .transform((step) => ({ id: step.id, name: step.name, type: 'other' as const, kind: step.type, next: step.next }))

const step = z.union([z.discriminatedUnion('type', knownSteps), otherStep])

const trigger = z.union([
  z.strictObject({ type: z.literal('joined_list'), list: legacyId }),
  z.strictObject({ type: z.literal('tag_added'), tag: name }),
  z.strictObject({ type: z.literal('tag_removed'), tag: name }),
  z.strictObject({ type: z.literal('manual') }),
  z.strictObject({ type: z.literal('other'), kind: name }),
])

/** The neutral format. Exports of known products are read into it. */
export const legacyWorkflow = z.strictObject({
  format: z.literal('lettergate.legacy-workflow.v1'),
  trigger,
  /** null for a workflow without steps */
  start: z.union([legacyId, z.null()]),
  steps: z.array(step).max(500),
  /** objects of the export that have no step, each with the reason */
  left_out: z
    .array(z.strictObject({ id: legacyId, kind: name, reason: z.string().max(500) }))
    .max(500)
    .default([]),
  /** what a person must look at, besides */
  notes: z.array(z.string().max(500)).max(100).default([]),
})

export type LegacyWorkflow = z.output<typeof legacyWorkflow>
export type LegacyStep = LegacyWorkflow['steps'][number]
export type LegacyTrigger = LegacyWorkflow['trigger']

/** The steps that can follow a step. */
export function followersOf(one: LegacyStep): (string | null)[] {
  if (one.type === 'end') return []
  if (one.type === 'branch') return [...one.branches.map((branch) => branch.next), one.otherwise]
  return [one.next]
}

/** Checks what a schema cannot: every id once, and no link to a step that is not there. */
export function requireLinked(workflow: LegacyWorkflow, path: string): LegacyWorkflow {
  const ids = workflow.steps.map(({ id }) => id)
  const known = new Set(ids)
  const all = [...ids, ...workflow.left_out.map(({ id }) => id)]
  const links = [workflow.start, ...workflow.steps.flatMap(followersOf)]
  const problems = [
    ...all.filter((id, index) => all.indexOf(id) !== index).map((id) => `two steps have the id ${id}`),
    ...links
      .filter((id) => id !== null && !known.has(id))
      .map((id) => `${id} is named as a next step and is not there`),
  ]
  if (problems.length === 0) return workflow
  throw new ReconstructionRefusal('export', `${path} contradicts itself:\n  ${problems.join('\n  ')}`)
}
