; The grammar of Kotlin comes without a tags query. This one names what the others do.
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(enum_entry (identifier) @name) @definition.constant
(function_declaration name: (identifier) @name) @definition.function
(property_declaration (variable_declaration (identifier) @name)) @definition.property
(type_alias type: (identifier) @name) @definition.type
