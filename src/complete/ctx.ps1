# Completion of ctx for PowerShell: profiles, entries, tags and models come from the store.
# The words of the line are handed over as they are: nothing of it is evaluated.
Register-ArgumentCompleter -Native -CommandName ctx -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @(foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.EndOffset -lt $cursorPosition) {
            if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
                $element.Value
            } else {
                $element.Extent.Text
            }
        }
    })
    $previous = $env:COMPLETE
    $env:COMPLETE = 'powershell'
    try {
        # The equals sign keeps an empty word.
        $reply = @(& ctx -- @words "=$wordToComplete" 2>$null)
    } finally {
        $env:COMPLETE = $previous
    }
    if ($reply.Count -gt 0 -and $reply[0] -eq 'values') {
        $reply | Select-Object -Skip 1 | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
        }
    }
}
