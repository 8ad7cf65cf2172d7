import { Select, Text, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import { clearButton } from '../../parts/clear-button.ts'
import { useFilter } from '../../parts/use-filter.ts'
import { actionChoices } from './audit-actions.ts'

/** Finds an action by its words and by its name in the API. */
const matching: OptionsFilter = ({ options, search }) => {
  const wanted = search.trim().toLowerCase()
  const matches = ({ value, label }: ComboboxItem) => value.includes(wanted) || label.toLowerCase().includes(wanted)
  return options.map((option) => ('group' in option ? { ...option, items: option.items.filter(matches) } : option))
}

/** An action that the audit log is filtered by. */
export function ActionFilter() {
  const [kept, keep] = useFilter('action')
  return (
    <Select
      label="Action"
      placeholder="Any"
      value={kept || null}
      onChange={keep}
      data={actionChoices(kept)}
      filter={matching}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <Text size="xs" c="inherit">
            {option.value}
          </Text>
        </div>
      )}
      searchable
      clearable
      clearButtonProps={clearButton('Action')}
      flex="1 1 14rem"
      maw={340}
    />
  )
}
