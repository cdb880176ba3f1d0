-- The health of Datasets, runtimes and operations of Sluice: their conditions Ready, Reconciling and Stalled.
local said = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    said[condition.type] = condition
  end
end

local function has(type)
  return said[type] ~= nil and said[type].status == "True"
end

local function because(status, type)
  local message = said[type].message
  if message == nil or message == "" then
    message = said[type].reason
  end
  return { status = status, message = message }
end

if obj.kind == "ThinRuntimeProfile" or obj.kind == "CacheRuntimeClass" then
  -- Runtimes read them, and nobody writes a status.
  return { status = "Healthy", message = "" }
end
if said.Ready == nil then
  -- Nobody has written a status yet, or Fluid wrote it.
  return { status = "Progressing", message = "Waiting for the controller of Sluice" }
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "Waiting for the controller of Sluice to see the newest spec" }
end
if has("Stalled") then
  return because("Degraded", "Stalled")
end
if has("Reconciling") then
  if said.Reconciling.reason == "Paused" then
    return because("Suspended", "Reconciling")
  end
  if has("DataUnavailable") or obj.status.phase == "Failed" then
    return because("Degraded", "Reconciling")
  end
  return because("Progressing", "Reconciling")
end
if has("Ready") then
  return because("Healthy", "Ready")
end
return because("Progressing", "Ready")
