import type { AutomationNode } from '@lettergate/client'
import { Stack } from '@mantine/core'
import { useState } from 'react'
import { initialOf } from '../../dialogs/fields.ts'
import { FormField } from '../../dialogs/form-field.tsx'
import { configOfStep, fieldsOfStep, type StepChoices } from './step-fields.ts'

/** The inputs of one step. Each change is at once in the definition. */
export function StepForm({
  node,
  choices,
  onChange,
}: {
  node: AutomationNode
  choices: StepChoices
  onChange: (config: AutomationNode['config']) => void
}) {
  const fields = Object.entries(fieldsOfStep(node, choices))
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map(([name, field]) => [name, initialOf(field)])),
  )
  return (
    <Stack gap="sm">
      {fields.map(([name, field]) => (
        <FormField
          key={name}
          field={field}
          value={values[name] ?? initialOf(field)}
          onChange={(value) => {
            const changed = { ...values, [name]: value }
            setValues(changed)
            onChange(configOfStep(node, changed, choices.fieldTypes))
          }}
        />
      ))}
    </Stack>
  )
}
