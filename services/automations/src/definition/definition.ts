import type { JsonObject, JsonValue } from '@bufbuild/protobuf'

/** An automation as a graph: the trigger enrols a contact, who starts at one node and follows the edges. */
export interface Definition {
  readonly trigger: Trigger
  readonly startNode: string
  readonly nodes: readonly AutomationNode[]
  readonly edges: readonly AutomationEdge[]
}

/** What enrols contacts. Only the first three types do; the others can be authored and enrol nobody. */
export type Trigger =
  | { readonly type: 'audience_subscribed'; readonly audienceId: string }
  | { readonly type: 'tag_added' | 'tag_removed'; readonly tag: string }
  | { readonly type: 'contact_field_changed'; readonly field: string }
  | { readonly type: 'contact_date'; readonly field: string; readonly offsetDays: number }
  | { readonly type: 'recurring_schedule'; readonly cron: string; readonly timezone: string }
  | { readonly type: 'api_event'; readonly eventName: string }
  | { readonly type: 'manual' }

/** What a node does with a contact who arrives at it. */
export type NodeWork =
  | { readonly type: 'send_email'; readonly contentVersionId: string; readonly senderIdentityId: string }
  | { readonly type: 'wait_duration'; readonly seconds: number }
  /** `at` is RFC 3339, with an offset */
  | { readonly type: 'wait_until_date'; readonly until: { readonly at: string } | { readonly field: string } }
  | { readonly type: 'add_tag' | 'remove_tag'; readonly tag: string }
  | {
      readonly type: 'add_audience'
      readonly audienceId: string
      readonly wordingVersion: string
      readonly source: string
    }
  | { readonly type: 'remove_audience'; readonly audienceId: string }
  | { readonly type: 'update_contact_field'; readonly field: string; readonly value: JsonValue }
  | { readonly type: 'adjust_score'; readonly amount: number }
  | { readonly type: 'decision' }
  | { readonly type: 'end' }

export type AutomationNode = { readonly key: string } & NodeWork

export interface AutomationEdge {
  readonly from: string
  readonly to: string
  /** of a decision: `default`, or the name of the branch that its condition chooses */
  readonly branch: string
  readonly condition: EdgeCondition | undefined
}

export const operators = [
  'equals',
  'not_equals',
  'contains',
  'exists',
  'not_exists',
  'greater_than',
  'less_than',
  'in',
] as const
export type Operator = (typeof operators)[number]

/** What an edge of a decision asks about the contact at the time of the decision. */
export type EdgeCondition =
  | { readonly all: readonly EdgeCondition[] }
  | { readonly any: readonly EdgeCondition[] }
  | { readonly not: EdgeCondition }
  | SubjectComparison

export interface SubjectComparison {
  readonly subject:
    { readonly field: string } | { readonly tag: string } | { readonly audienceId: string } | { readonly score: true }
  readonly operator: Operator
  /** null for `exists` and `not_exists` */
  readonly value: JsonValue
}

/** The fields that every contact has. `email` can be compared and cannot be changed. */
export const contactFields = [
  'email',
  'first_name',
  'last_name',
  'company',
  'country_code',
  'locale',
  'timezone',
  'phone',
] as const

/** The key of a custom field, or undefined for a field that every contact has. */
export const customKeyOf = (field: string): string | undefined =>
  field.startsWith('custom.') ? field.slice('custom.'.length) : undefined

export type { JsonObject, JsonValue }
