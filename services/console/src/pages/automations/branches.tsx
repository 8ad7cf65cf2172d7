import type { AutomationDefinition, AutomationEdge } from '@lettergate/client'
import { Button, Group, Menu, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { inWords } from '../../parts/words.ts'
import {
  combinations,
  combined,
  comparisonOf,
  conditionOf,
  firstCondition,
  needsValue,
  operatorsOf,
  partsOf,
  subjects,
  type Combination,
  type BranchCondition,
  type ConditionInputs,
} from './comparison.ts'
import { addBranch, changeEdge, insertNode, removeEdge, type InsertionPlace } from './edit-graph.ts'
import { conditionInWords, nodeInWords, type Names } from './node-words.ts'
import { firstConfig, nodeTypes, withPresent, type StepChoices } from './step-fields.ts'
import { isDefault } from './ways.ts'

export interface EditProps {
  definition: AutomationDefinition
  choices: StepChoices
  names: Names
  /** `chosen` is the key of the node that is edited next */
  onEdit: (definition: AutomationDefinition, chosen?: string) => void
}

/** Inserts a step of a type at a place. */
export function InsertButton({
  definition,
  place,
  label,
  onEdit,
}: Pick<EditProps, 'definition' | 'onEdit'> & { place: InsertionPlace; label: string }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="default">
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {nodeTypes.map((type) => (
          <Menu.Item
            key={type.value}
            onClick={() => {
              const inserted = insertNode(definition, place, { type: type.value, config: firstConfig(type.value) })
              onEdit(inserted.definition, inserted.key)
            }}
          >
            {type.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Where a node leads: one next step, and for a decision one for each branch. */
export function Branches({ nodeKey, isDecision, ...edit }: EditProps & { nodeKey: string; isDecision: boolean }) {
  const { definition, onEdit } = edit
  const out = definition.edges.map((edge, index) => ({ edge, index })).filter(({ edge }) => edge.from === nodeKey)
  const to = definition.nodes.find(({ type }) => type === 'end')?.key ?? definition.start_node
  return (
    <Stack gap="sm">
      {out.map(({ edge, index }) => (
        <Branch
          key={`${index} of ${definition.edges.length}`}
          {...edit}
          edge={edge}
          index={index}
          isDecision={isDecision}
        />
      ))}
      <Group gap="xs">
        {out.length === 0 && !isDecision && (
          <InsertButton
            definition={definition}
            place={{ after: nodeKey }}
            label="Add a step after it"
            onEdit={onEdit}
          />
        )}
        {isDecision && (
          <Button size="compact-sm" variant="default" onClick={() => onEdit(addBranch(definition, nodeKey, to))}>
            Add a branch
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Branch({
  definition,
  choices,
  names,
  onEdit,
  edge,
  index,
  isDecision,
}: EditProps & { edge: AutomationEdge; index: number; isDecision: boolean }) {
  const change = (changed: Partial<AutomationEdge>) => onEdit(changeEdge(definition, index, changed))
  const isOtherwise = isDefault(edge)
  return (
    <Paper withBorder p="sm" role="group" aria-label={isDecision ? `Branch ${edge.branch}` : 'Next step'}>
      <Stack gap="sm">
        {isDecision && isOtherwise && <Text size="sm">When no other branch fits</Text>}
        {isDecision && !isOtherwise && (
          <>
            <TextInput
              label="Name of the branch"
              maxLength={160}
              value={edge.branch}
              // With its condition, so that no name makes it the default branch, which has no inputs.
              onChange={(event) =>
                change({ branch: event.currentTarget.value, condition: edge.condition ?? firstCondition })
              }
            />
            <ConditionForm
              condition={edge.condition ?? firstCondition}
              choices={choices}
              onChange={(condition) => change({ condition })}
            />
          </>
        )}
        <Select
          label="Leads to"
          allowDeselect={false}
          searchable={definition.nodes.length > 8}
          data={definition.nodes.map((node) => ({
            value: node.key,
            label: `${nodeInWords(node, names)} (${node.key})`,
          }))}
          value={edge.to}
          onChange={(to) => change({ to: to! })}
        />
        <Group gap="xs">
          <InsertButton definition={definition} place={{ edge: index }} label="Insert a step here" onEdit={onEdit} />
          {isDecision && (
            <Button size="compact-sm" variant="default" onClick={() => onEdit(removeEdge(definition, index))}>
              Remove the branch
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

interface ConditionProps {
  condition: BranchCondition
  choices: StepChoices
  onChange: (condition: BranchCondition) => void
}

/** Inputs for a condition: one comparison, or parts that are conditions themselves. */
function ConditionForm({ condition, choices, onChange }: ConditionProps) {
  const { combination, parts } = partsOf(condition)
  const set = (changed: readonly BranchCondition[]) => onChange(combined(combination, changed))
  const replace = (index: number, part: BranchCondition) => set(parts.map((one, at) => (at === index ? part : one)))
  return (
    <>
      <Select
        label="The condition asks for"
        allowDeselect={false}
        data={[...combinations]}
        value={combination}
        onChange={(next) => onChange(combined(next as Combination, parts.length === 0 ? [condition] : parts))}
      />
      {combination === 'one' && <ComparisonForm condition={condition} choices={choices} onChange={onChange} />}
      {parts.map((part, index) => (
        <Paper
          key={`${index} of ${parts.length}`}
          withBorder
          p="sm"
          role="group"
          aria-label={combination === 'not' ? 'The opposite of' : `Part ${index + 1}`}
        >
          <Stack gap="sm">
            <ConditionForm condition={part} choices={choices} onChange={(changed) => replace(index, changed)} />
            {parts.length > 1 && (
              <Group>
                <Button size="compact-sm" variant="default" onClick={() => set(parts.filter((_, at) => at !== index))}>
                  Remove the part
                </Button>
              </Group>
            )}
          </Stack>
        </Paper>
      ))}
      {(combination === 'all' || combination === 'any') && (
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => set([...parts, firstCondition])}>
            Add a part
          </Button>
        </Group>
      )}
    </>
  )
}

/** Inputs for one comparison. One that they do not know is shown, and kept as it is. */
function ComparisonForm({ condition, choices, onChange }: ConditionProps) {
  // The texts as they are typed: a condition has no trailing space or comma.
  const [comparison, setComparison] = useState(() => comparisonOf(condition))
  if (comparison === null)
    return (
      <Text size="sm">
        If {conditionInWords(condition)}. There are no inputs for this condition; it stays as it is. Change it with the
        API.
      </Text>
    )
  const set = (changed: Partial<ConditionInputs>) => {
    const next = { ...comparison, ...changed }
    setComparison(next)
    onChange(conditionOf(next, choices.fieldTypes[next.of]))
  }
  const { subject, of, operator, value } = comparison
  const offered = { tag: choices.tags, audience_id: choices.audiences, field: choices.fields, score: [] }[subject]
  return (
    <>
      <Select
        label="If"
        allowDeselect={false}
        data={[...subjects]}
        value={subject}
        onChange={(next) => {
          const changed = next as ConditionInputs['subject']
          set({ subject: changed, of: '', operator: operatorsOf(changed)[0]!, value: '' })
        }}
      />
      {subject !== 'score' && (
        <Select
          label="Which"
          searchable={offered.length > 8}
          data={[...withPresent(offered, of, choices.names)]}
          value={of || null}
          onChange={(next) => set({ of: next ?? '' })}
        />
      )}
      <Select
        label="Is"
        allowDeselect={false}
        data={operatorsOf(subject).map((one) => ({ value: one, label: inWords(one) }))}
        value={operator}
        onChange={(next) => set({ operator: next! })}
      />
      {needsValue(operator) && (
        <TextInput
          label="Value"
          {...(operator === 'in' ? { description: 'Several, with commas.' } : {})}
          value={value}
          onChange={(event) => set({ value: event.currentTarget.value })}
        />
      )}
    </>
  )
}
