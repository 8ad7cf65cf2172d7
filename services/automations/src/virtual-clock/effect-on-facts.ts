import type { EffectNode } from '../contacts/apply-contact-effects.ts'
import { tagNamed, type ContactFacts } from '../definition/condition-holds.ts'

type Tag = ContactFacts['tags'][number]

/** The facts of a contact as this node leaves them, or the reason for which contacts-consent would refuse it. */
export function effectOnFacts(
  node: EffectNode,
  facts: ContactFacts,
  catalogue: readonly Tag[],
): ContactFacts | 'tag_missing' {
  switch (node.type) {
    case 'add_tag': {
      const tag = catalogue.find(tagNamed(node.tag, facts))
      if (!tag) return 'tag_missing'
      return facts.tags.some(({ id }) => id === tag.id) ? facts : { ...facts, tags: [...facts.tags, tag] }
    }
    case 'remove_tag': {
      const isRemoved = tagNamed(node.tag, facts)
      return { ...facts, tags: facts.tags.filter((tag) => !isRemoved(tag)) }
    }
    case 'add_audience':
      return { ...facts, audienceIds: [...without(facts.audienceIds, node.audienceId), node.audienceId] }
    case 'remove_audience':
      return { ...facts, audienceIds: without(facts.audienceIds, node.audienceId) }
    case 'update_contact_field': {
      const { [node.field]: _, ...others } = facts.fields
      return { ...facts, fields: node.value === null ? others : { ...others, [node.field]: node.value } }
    }
    case 'adjust_score':
      return { ...facts, score: facts.score + node.amount }
  }
}

const without = (ids: readonly string[], id: string) => ids.filter((one) => one !== id)
