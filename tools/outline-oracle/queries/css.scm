(rule_set (selectors) @name) @definition.rule
(keyframes_statement (keyframes_name) @name) @definition.rule
