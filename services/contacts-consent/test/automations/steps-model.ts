import { addAudience, addTag, adjustScore, removeAudience, removeTag, updateField, type Effect } from './steps-stage.ts'

/** An effect by the names of the model. Audiences are numbers. */
export type ModelEffect =
  | { readonly do: 'add tag' | 'remove tag'; readonly tag: string }
  | { readonly do: 'join' | 'leave'; readonly audience: number }
  | { readonly do: 'set'; readonly field: string; readonly value: string | number | null }
  | { readonly do: 'score'; readonly amount: number }

/** What an operator or the person does between the steps. */
export type OtherAct = { readonly act: 'subscribe' | 'unsubscribe' | 'resolve'; readonly audience: number }

export const registeredTags = ['a', 'b', 'c']
export const archivedAudience = 2
const validValues: Record<string, (value: string | number) => boolean> = {
  first_name: (value) => typeof value === 'string',
  'custom.size': (value) => typeof value === 'number',
}

interface ModelMembership {
  isActive: boolean
  hasConsent: boolean
  hasLeft: boolean
  isSuppressed: boolean
}

/** A contact as the documentation describes it, changed step by step. It shares no code with the service. */
export class ModelContact {
  tags: string[] = []
  readonly memberships = [0, 1, 2].map((): ModelMembership => ({
    isActive: false,
    hasConsent: false,
    hasLeft: false,
    isSuppressed: false,
  }))
  readonly fields: Record<string, string | number> = {}
  score = 0
  readonly record: string[] = []

  step(effect: ModelEffect): string {
    if (effect.do === 'score') return this.addScore(effect.amount)
    if (effect.do === 'set') return this.set(effect.field, effect.value)
    if ('audience' in effect) return effect.do === 'join' ? this.join(effect.audience) : this.leave(effect.audience)
    return effect.do === 'add tag' ? this.addTag(effect.tag) : this.removeTag(effect.tag)
  }

  /** Answers false if the service must refuse. */
  other({ act, audience }: OtherAct): boolean {
    const membership = this.memberships[audience]!
    if (act === 'resolve') membership.isSuppressed = false
    if (act === 'unsubscribe') {
      Object.assign(membership, { isActive: false, hasConsent: false, hasLeft: true, isSuppressed: true })
      this.record.push('withdrawn')
    }
    if (act !== 'subscribe') return true
    if (membership.isSuppressed || audience === archivedAudience) return false
    Object.assign(membership, { isActive: true, hasConsent: true, hasLeft: false })
    this.record.push('granted')
    return true
  }

  private addTag(tag: string): string {
    if (!registeredTags.includes(tag)) return 'refused tag_missing'
    if (this.tags.includes(tag)) return 'unchanged'
    this.tags.push(tag)
    return 'applied'
  }

  private removeTag(tag: string): string {
    if (!this.tags.includes(tag)) return 'unchanged'
    this.tags = this.tags.filter((one) => one !== tag)
    return 'applied'
  }

  private join(audience: number): string {
    const membership = this.memberships[audience]!
    const against = [
      audience === archivedAudience && 'audience_archived',
      membership.isSuppressed && 'suppressed_audience',
      membership.hasLeft && 'consent_withdrawn',
    ].filter((reason) => reason !== false)
    if (against.length > 0) return `refused ${against.join()}`
    if (membership.isActive && membership.hasConsent) return 'unchanged'
    Object.assign(membership, { isActive: true, hasConsent: true })
    this.record.push('granted')
    return 'applied'
  }

  private leave(audience: number): string {
    const membership = this.memberships[audience]!
    if (!membership.isActive) return 'unchanged'
    membership.isActive = false
    return 'applied'
  }

  private set(field: string, value: string | number | null): string {
    const isValid = validValues[field]
    if (!isValid) return 'refused field_missing'
    if (value === null) {
      if (this.fields[field] === undefined) return 'unchanged'
      delete this.fields[field]
      return 'applied'
    }
    if (!isValid(value)) return 'refused field_invalid'
    if (this.fields[field] === value) return 'unchanged'
    this.fields[field] = value
    return 'applied'
  }

  private addScore(amount: number): string {
    this.score += amount
    return amount === 0 ? 'unchanged' : 'applied'
  }
}

/** The same effect as the automations service sends it. */
export function sentEffect(effect: ModelEffect, audiences: readonly string[]): Effect {
  if (effect.do === 'score') return adjustScore(effect.amount)
  if (effect.do === 'set') return updateField(effect.field, effect.value)
  if ('audience' in effect) {
    const audienceId = audiences[effect.audience]!
    return effect.do === 'join' ? addAudience(audienceId) : removeAudience(audienceId)
  }
  return effect.do === 'add tag' ? addTag(effect.tag) : removeTag(effect.tag)
}
